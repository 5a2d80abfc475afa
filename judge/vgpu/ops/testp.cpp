// testp: what kind of number a float is. Answered from the bits, so that no NaN is ever compared; zero counts as normal.
#include "judge/vgpu/ops/families.hpp"
#include "judge/vgpu/ops/float_bits.hpp"
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::TestMode;

template <class Row>
constexpr Row kSignBit = sizeof(Row) == 8 ? static_cast<Row>(kSign64) : static_cast<Row>(kSign32);
template <class Row>
constexpr Row kInfinity = sizeof(Row) == 8 ? static_cast<Row>(kExponent64) : static_cast<Row>(kExponent32);

template <class Row, TestMode kMode>
void test_property(const Registers& registers, const Step& step, LaneMask active) {
  const auto holds = [](Row bits) {
    const Row magnitude = bits & ~kSignBit<Row>;
    const bool subnormal = magnitude != 0 && (magnitude & kInfinity<Row>) == 0;
    switch (kMode) {
      case TestMode::kFinite: return magnitude < kInfinity<Row>;
      case TestMode::kInfinite: return magnitude == kInfinity<Row>;
      case TestMode::kNumber: return magnitude <= kInfinity<Row>;
      case TestMode::kNotANumber: return magnitude > kInfinity<Row>;
      case TestMode::kNormal: return magnitude < kInfinity<Row> && !subnormal;
      default: return subnormal;
    }
  };
  write_predicate(registers, step.dst[0], test<Row>(holds, registers.row<Row>(step.src[0])), active);
}

template <class Row>
LaneOperation test_of(TestMode mode) {
  switch (mode) {
    case TestMode::kFinite: return test_property<Row, TestMode::kFinite>;
    case TestMode::kInfinite: return test_property<Row, TestMode::kInfinite>;
    case TestMode::kNumber: return test_property<Row, TestMode::kNumber>;
    case TestMode::kNotANumber: return test_property<Row, TestMode::kNotANumber>;
    case TestMode::kNormal: return test_property<Row, TestMode::kNormal>;
    case TestMode::kSubnormal: return test_property<Row, TestMode::kSubnormal>;
    default: return nullptr;
  }
}

}  // namespace

LaneOperation test_operation(const ptx::Instruction& instruction) {
  if (!has_only(instruction.mod, kTestMode)) return nullptr;
  if (first_type(instruction) == ptx::Type::kF32) return test_of<std::uint32_t>(instruction.mod.test);
  if (first_type(instruction) == ptx::Type::kF64) return test_of<std::uint64_t>(instruction.mod.test);
  return nullptr;
}

}  // namespace warpbook::vgpu::ops
