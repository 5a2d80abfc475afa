#include "judge/run/worker/rounds.hpp"

#include <unistd.h>

#include <vector>

#include "judge/run/worker/arguments.hpp"

namespace warpbook::run {
namespace {

constexpr int kPersistingL2Limit = 6;  // cudaLimitPersistingL2CacheSize
constexpr double kMillisecond = 1e-3;

/// The runtime's functions around a round.
struct Calls {
  explicit Calls(void* runtime)
      : peek(runtime_function<CodeFunction>(runtime, "cudaPeekAtLastError")),
        synchronize(runtime_function<CodeFunction>(runtime, "cudaDeviceSynchronize")),
        record(runtime_function<int (*)(void*, void*)>(runtime, "cudaEventRecord")),
        elapsed(runtime_function<int (*)(float*, void*, void*)>(runtime, "cudaEventElapsedTime")),
        set_limit(runtime_function<int (*)(int, std::size_t)>(runtime, "cudaDeviceSetLimit")),
        reset_persisting(runtime_function<CodeFunction>(runtime, "cudaCtxResetPersistingL2Cache")),
        forget_error(runtime_function<CodeFunction>(runtime, "cudaGetLastError")) {
    const auto create = runtime_function<int (*)(void**)>(runtime, "cudaEventCreate");
    for (void** event : {&begin, &end})
      if (const int code = create(event)) fail(WorkerStage::kNoRuntime, "cudaEventCreate answers CUDA error " + std::to_string(code));
  }

  /// What an earlier launch left pinned in the L2 cache is not there for the next ones. GPUs without such a cache refuse, and need none.
  void forget_persisting() const {
    const bool refused = set_limit(kPersistingL2Limit, 0) != 0 || reset_persisting() != 0;
    if (refused) forget_error();
  }

  CodeFunction peek, synchronize;
  int (*record)(void*, void*);
  int (*elapsed)(float*, void*, void*);
  int (*set_limit)(int, std::size_t);
  CodeFunction reset_persisting, forget_error;
  void *begin = nullptr, *end = nullptr;
};

RoundReply launch_round(const Calls& calls, LaunchFunction launch, const std::vector<Arguments>& sets, const Round& round) {
  RoundReply reply;
  calls.record(calls.begin, nullptr);
  std::size_t set = round.first;
  for (std::uint32_t i = 0; i < round.count && reply.launch_code == 0; ++i) {
    reply.launch_code = call(launch, sets[set].data());
    if (++set == sets.size()) set = 0;
  }
  calls.record(calls.end, nullptr);
  reply.last_error = calls.peek();
  reply.synchronize_code = calls.synchronize();
  float milliseconds = 0;
  if (calls.elapsed(&milliseconds, calls.begin, calls.end) == 0) reply.device_seconds = kMillisecond * static_cast<double>(milliseconds);
  return reply;
}

}  // namespace

void serve_rounds(void* runtime, LaunchFunction launch, const TimedOrder& order) {
  const Calls calls(runtime);
  SharedMemory memory(runtime);
  std::vector<std::vector<Arguments>> groups(order.groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::uint32_t set = 0; set < order.groups[g].count; ++set)
      groups[g].emplace_back(order.groups[g].arguments, memory, order.groups[g].strides, set);
  calls.forget_persisting();
  WorkerReply ready;
  ready.stage = WorkerStage::kReady;
  if (!send_reply(kControlDescriptor, ready)) ::_exit(1);
  for (;;) {
    const Result<Round> round = receive_round(kControlDescriptor);
    if (!round) ::_exit(0);  // the judge has heard enough
    if (round->group >= groups.size() || round->first >= groups[round->group].size()) ::_exit(1);
    if (!send_round_reply(kControlDescriptor, launch_round(calls, launch, groups[round->group], *round))) ::_exit(1);
    // Behind the answer, while the judge looks at the outputs: it takes some 0.3 ms, and not always the same.
    calls.forget_persisting();
  }
}

}  // namespace warpbook::run
