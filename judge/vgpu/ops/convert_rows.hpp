#pragma once
// The frame around every cvt. cvt is the one arithmetic instruction whose registers may be wider than its types: `cvt.s32.s8 %rd, %r`.
// A conversion works on rows of the natural width of its types; the frame narrows a wider source first and extends into a wider
// destination after. 8-bit values live in 16-bit rows, extended.
#include "judge/vgpu/ops/lanes.hpp"

namespace warpbook::vgpu::ops {

/// step.flags of cvt: log2 of the bytes of the source's and of the destination's register row.
inline constexpr int kDestinationWidthShift = 2;
inline constexpr std::uint8_t kWidthMask = 3;

inline std::uint8_t width_flags(int source_bytes, int destination_bytes) {
  const auto log2 = [](int bytes) { return bytes == 8 ? 3 : bytes == 4 ? 2 : 1; };
  return static_cast<std::uint8_t>(log2(source_bytes) | log2(destination_bytes) << kDestinationWidthShift);
}

template <class Row>
constexpr std::uint8_t kWidthCode = sizeof(Row) == 8   ? 3
                                    : sizeof(Row) == 4 ? 2
                                                       : 1;

/// The source row, cut to Row's width into `aside` when the register is wider.
template <class Row>
[[gnu::noinline]] const Row* narrowed(const Registers& registers, const Step& step, Row* aside) {
  if ((step.flags & kWidthMask) == kWidthCode<std::uint64_t>) {
    const auto* wide = registers.row<std::uint64_t>(step.src[0]);
    for (int lane = 0; lane < kWarpSize; ++lane) aside[lane] = static_cast<Row>(wide[lane]);
  } else {
    const auto* wide = registers.row<std::uint32_t>(step.src[0]);
    for (int lane = 0; lane < kWarpSize; ++lane) aside[lane] = static_cast<Row>(wide[lane]);
  }
  return aside;
}

/// Writes `value` into the wider destination register, with sign or zeros in front.
template <class Row, bool kSigned>
[[gnu::noinline]] void write_extended(const Registers& registers, const Step& step, const Row* value, LaneMask active) {
  using Value = std::conditional_t<kSigned, std::make_signed_t<Row>, Row>;
  const auto extend = [&]<class Wide>(Wide* destination) {
    masked(destination, active, [&](Wide* out) {
      for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<Wide>(static_cast<Value>(value[lane]));
    });
  };
  if ((step.flags >> kDestinationWidthShift & kWidthMask) == kWidthCode<std::uint64_t>) {
    extend(registers.row<std::uint64_t>(step.dst[0]));
  } else {
    extend(registers.row<std::uint32_t>(step.dst[0]));
  }
}

/// The operation of a Conversion: `In` and `Out` are its row types, kSigned says how its results are extended, and
/// `static void run(const Step&, const In*, Out*)` converts a row.
template <class Conversion>
void convert_lanes(const Registers& registers, const Step& step, LaneMask active) {
  using In = typename Conversion::In;
  using Out = typename Conversion::Out;
  alignas(64) In in_aside[kWarpSize];
  const In* in = (step.flags & kWidthMask) == kWidthCode<In> ? registers.row<In>(step.src[0]) : narrowed(registers, step, in_aside);
  const bool natural = (step.flags >> kDestinationWidthShift & kWidthMask) == kWidthCode<Out>;
  alignas(64) Out out_aside[kWarpSize];
  Out* out = natural && active == kAllLanes ? registers.row<Out>(step.dst[0]) : out_aside;
  Conversion::run(step, in, out);
  if (!natural) {
    write_extended<Out, Conversion::kSigned>(registers, step, out_aside, active);
  } else if (active != kAllLanes) {
    blend(registers.row<Out>(step.dst[0]), out_aside, active);
  }
}

/// The conversion of a functor that maps one value: D functor(S).
template <class Functor, class S, class D>
struct ByFunctor {
  using In = RowOf<S>;
  using Out = RowOf<D>;
  static constexpr bool kSigned = std::is_integral_v<D> && std::is_signed_v<D>;
  static void run(const Step&, const In* in, Out* out) {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpSize; ++lane) {
      out[lane] = std::bit_cast<Out>(static_cast<D>(Functor{}(std::bit_cast<S>(in[lane]))));
    }
  }
};

}  // namespace warpbook::vgpu::ops
