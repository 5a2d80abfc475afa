#include "judge/device/sanitizer_category.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::device;

namespace {

Fault fault(FaultKind kind, std::string instruction, std::string space) {
  Fault f;
  f.kind = kind;
  f.instruction = std::move(instruction);
  f.space = std::move(space);
  f.bytes = 4;
  return f;
}

Fault race(std::string instruction, std::string earlier) {
  Fault f = fault(FaultKind::kRace, std::move(instruction), "shared");
  f.address = 0x10;
  f.block = {1, 0, 0};
  f.related.push_back({std::move(earlier), {}, {}, {}});
  return f;
}

}  // namespace

TEST_CASE("an access that is refused has memcheck's words") {
  const auto text = [](const Fault& f) { return sanitizer_category(f).text; };
  CHECK(text(fault(FaultKind::kOutOfBounds, "st.global.f32", "global")) == "Invalid __global__ write of size 4 bytes");
  CHECK(text(fault(FaultKind::kOutOfBounds, "ld.shared.f32", "shared")) == "Invalid __shared__ read of size 4 bytes");
  CHECK(text(fault(FaultKind::kMisaligned, "atom.global.add.u32", "global")) == "Invalid __global__ atomic of size 4 bytes");
  CHECK(text(fault(FaultKind::kUseAfterFree, "red.global.add.u32", "global")) == "Invalid __global__ atomic of size 4 bytes");
  Fault twice = fault(FaultKind::kUseAfterFree, "call.uni", "global");
  twice.bytes = 0;
  CHECK(text(twice) == "Malloc/Free error encountered : Double free");
  CHECK(text(fault(FaultKind::kHostPointer, "ld.local.b32", "local")) == "Invalid __local__ read of size 4 bytes");
  CHECK(sanitizer_category(fault(FaultKind::kNullPointer, "ld", "")).tool == "memcheck");
}

TEST_CASE("a race is RAW, WAR or WAW by its two accesses, and only shared memory has them") {
  CHECK(sanitizer_category(race("ld.shared.f32", "write of 4 bytes")).text ==
        "Potential RAW hazard detected at __shared__ 0x10 in block (1,0,0)");
  CHECK(sanitizer_category(race("st.shared.f32", "read of 4 bytes")).text ==
        "Potential WAR hazard detected at __shared__ 0x10 in block (1,0,0)");
  Fault warning = race("st.shared.f32", "write of 4 bytes");
  warning.severity = Severity::kWarning;
  CHECK(sanitizer_category(warning).text == "(Warp Level Programming) Potential WAW hazard detected at __shared__ 0x10 in block (1,0,0)");
  CHECK(sanitizer_category(warning).tool == "racecheck");
  warning.space = "global";
  CHECK(sanitizer_category(warning).tool.empty());
}

TEST_CASE("the other tools, and what none of them reports") {
  CHECK(sanitizer_category(fault(FaultKind::kUninitialised, "ld.global.f32", "global")).text ==
        "Uninitialized __global__ memory read of size 4 bytes");
  CHECK(sanitizer_category(fault(FaultKind::kBarrierDivergence, "bar.sync", "")).tool == "synccheck");
  Fault assertion = fault(FaultKind::kAssert, "call", "");
  assertion.code = Code::kAssert;
  CHECK(sanitizer_category(assertion).text == "Program hit cudaErrorAssert (error 710) on CUDA API call to cudaDeviceSynchronize");
  CHECK(sanitizer_category(fault(FaultKind::kDeadlock, "bar.sync", "")).text.empty());
  CHECK(sanitizer_category(fault(FaultKind::kBudget, "", "")).tool.empty());
}
