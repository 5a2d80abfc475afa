// verdict: WA
// reason: no-launch, unwritten
// cases: heads
// trick: forged-descriptors
// A constructor takes the judge's order from its descriptor, answers "finished, no error" in the worker's words, and leaves with status 0.
// Not fooled: what a worker says is no verdict. No kernel was launched, and the outputs hold what they held.
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdint>

namespace {

// "Finished, no error", as a worker says it (judge/run/worker_protocol.cpp): magic, kind, bytes of what follows; stage, three codes, no
// text.
struct __attribute__((packed)) Reply {
  std::uint32_t magic = 0x31574257;
  std::int32_t kind = 2;
  std::uint64_t length = 24;
  std::int32_t stage = 1, launch_code = 0, last_error = 0, synchronize_code = 0;
  std::uint64_t text_length = 0;
};

struct Ahead {
  Ahead() {
    constexpr int kJudge = 3;
    char order[4096];
    [[maybe_unused]] ssize_t done = read(kJudge, order, sizeof order);
    const Reply reply;
    done = write(kJudge, &reply, sizeof reply);
    _exit(0);
  }
} ahead;

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  return cudaSuccess;
}
