#include "judge/device/fault_text.hpp"

#include <set>

#include "judge/tests/catch.hpp"

using namespace warpbook::device;

TEST_CASE("a fault tells what, where, who and who waits") {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.kernel = "sum(float*)";
  fault.message = "nobody can go on";
  fault.frames = {{"reduce.cuh", "reduce", 12, 3}, {"exercise.cu", "", 40, 0}};
  fault.thread = {1, 2, 3};
  fault.instruction = "bar.sync";
  fault.lanes_affected = 17;
  fault.waiters = {{"bar.sync 0", "warp 1, lanes 0-16", {{"exercise.cu", "sum", 41, 5}}}};
  CHECK(fault_text(fault) ==
        "deadlock in sum(float*): nobody can go on\n  at reduce.cuh:12:3 in reduce\n  inlined at exercise.cu:40\n"
        "  thread (1,2,3), block (0,0,0), instruction bar.sync, 17 lanes of its warp did the same\n"
        "  warp 1, lanes 0-16: bar.sync 0\n    at exercise.cu:41:5 in sum");
}

TEST_CASE("every kind of fault has a name of its own") {
  std::set<std::string_view> names;
  const int last = static_cast<int>(FaultKind::kLaunchError);
  for (int kind = 0; kind <= last; ++kind) CHECK(names.insert(name_of(static_cast<FaultKind>(kind))).second);
  CHECK_FALSE(names.contains("unknown fault"));
}
