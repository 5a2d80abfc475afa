#include "judge/task/failure_codes.hpp"

namespace warpbook::task {

const std::vector<std::string>& failure_codes() {
  static const std::vector<std::string> codes{
      "value",
      "not-finite",
      "unwritten",
      "input-changed",
      "out-of-zone-write",
      "no-launch",
      "host-computed",
      "out-of-bounds",
      "misaligned",
      "use-after-free",
      "null-pointer",
      "host-pointer",
      "read-only",
      "uninitialised",
      "race",
      "barrier-divergence",
      "deadlock",
      "bad-shuffle-mask",
      "invalid-launch",
      "assert",
      "trap",
      "stack-overflow",
      "cuda-error",
      "host-crash",
      "exited-early",
      "cpu-time",
      "wall-clock",
      "instruction-budget",
      "compiler-message",
      "blank-empty",
      "blank-refused",
      "changed-outside",
      "swallowed-error",
      "WA",
      "RTE",
      "TLE",
      "CE",
      "VETO",
  };
  return codes;
}

}  // namespace warpbook::task
