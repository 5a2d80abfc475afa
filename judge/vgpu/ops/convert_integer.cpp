// cvt between integers: cut or extended, or with .sat clamped to the range of the destination.
#include <limits>
#include <utility>

#include "judge/vgpu/ops/convert_rows.hpp"
#include "judge/vgpu/ops/families.hpp"

namespace warpbook::vgpu::ops {
namespace {

using ptx::Type;

template <class From, class To, bool kSaturate>
struct IntegerConversion {
  using In = RowOf<From>;
  using Out = RowOf<To>;
  static constexpr bool kSigned = std::is_signed_v<To>;
  static void run(const Step&, const In* in, Out* out) {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<Out>(convert(static_cast<From>(in[lane])));
  }
  static To convert(From value) {
    using Limits = std::numeric_limits<To>;
    if constexpr (kSaturate) {
      if (std::cmp_less(value, Limits::min())) return Limits::min();
      if (std::cmp_greater(value, Limits::max())) return Limits::max();
    }
    return static_cast<To>(value);
  }
};

template <class Use>
LaneOperation for_any_integer(Type type, const Use& use) {
  if (type == Type::kU8) return use.template operator()<std::uint8_t>();
  if (type == Type::kS8) return use.template operator()<std::int8_t>();
  if (type == Type::kB16 || type == Type::kB32 || type == Type::kB64) return nullptr;  // cvt has no bit-size types
  return for_integer(type, use);
}

}  // namespace

LaneOperation convert_integer(Type from, Type to, bool saturate) {
  return for_any_integer(from, [&]<class From>() {
    return for_any_integer(to, [&]<class To>() -> LaneOperation {
      if (saturate) return convert_lanes<IntegerConversion<From, To, true>>;
      return convert_lanes<IntegerConversion<From, To, false>>;
    });
  });
}

}  // namespace warpbook::vgpu::ops
