// verdict: RTE, WA
// reason: exited-early, host-crash, no-launch, unwritten
// cases: heads
// trick: forged-descriptors
// The same answer, written by a constructor to every descriptor that may have been inherited, without knowing which is which.
// Not fooled: the judge's own descriptors are not inherited. The device hears what no runtime of ours says, and ends the conversation;
// which of the two ends is seen first is chance, and neither is an acceptance.
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
    const Reply reply;
    for (int fd = 1; fd < 64; ++fd) {
      [[maybe_unused]] const ssize_t written = write(fd, &reply, sizeof reply);
    }
    _exit(0);
  }
} ahead;

}  // namespace

cudaError_t launch_softmax(const float* x,  // [rows, cols], row stride x_stride
                           float* y,        // [rows, cols], row stride y_stride
                           int rows, int cols, long long x_stride, long long y_stride) {
  return cudaSuccess;
}
