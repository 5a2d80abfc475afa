#pragma once
// Lifting: from a function on one lane's values to an operation on a row of 32.
//
// A functor says what an instruction does to one lane: `float operator()(float a, float b) const`. lanes<Functor, float, float, float>
// is then the LaneOperation that runs it on rows. Functors that need more than values (a lop3 table, negated sources) are constructed
// from the Step. The loop always computes all 32 lanes, which lets the compiler vectorise it, and writes either straight into the
// destination or, when some lanes are off, aside, to be blended in. So a functor must be total: no trap and no undefined behaviour for
// any bits, also those of lanes that are off. (Rejected: a test per lane inside the loop, which costs the vectorisation, and a second
// copy of each loop for masked rows, which doubles the code for nothing: blending 32 lanes takes a few instructions.)
//
// Rows are read and written as unsigned integers and cast to the functor's types by value, because a register has no type of its own:
// what one instruction writes as f32 the next may read as b32. Rows of a step are identical or disjoint, hence `ivdep`.
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu::ops {

/// The unsigned integer that holds a T in a register row.
template <class T>
using RowOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

/// `on` for the lanes in `mask`, else `off`; in the form that the compiler vectorises, which for 16 bits is another than for the rest.
template <class Row>
[[gnu::always_inline]] inline Row choose(LaneMask mask, int lane, Row on, Row off) {
  if constexpr (sizeof(Row) == 2) {
    const auto other = static_cast<Row>(static_cast<Row>(mask >> lane & 1u) - 1u);  // all ones where the lane is not in the mask
    return static_cast<Row>((on & ~other) | (off & other));
  } else {
    return (mask >> lane & 1u) != 0 ? on : off;
  }
}

/// destination[lane] = aside[lane] for the lanes in `active`; the others keep what they have.
void blend(std::uint16_t* destination, const std::uint16_t* aside, LaneMask active);
void blend(std::uint32_t* destination, const std::uint32_t* aside, LaneMask active);
void blend(std::uint64_t* destination, const std::uint64_t* aside, LaneMask active);

template <class Functor>
[[gnu::always_inline]] inline Functor functor_of(const Step& step) {
  if constexpr (std::constructible_from<Functor, const Step&>) {
    return Functor(step);
  } else {
    return Functor{};
  }
}

/// Runs `compute(out)`, which fills a whole row, so that only the lanes in `active` of `destination` change.
template <class Row, class Compute>
[[gnu::always_inline]] inline void masked(Row* destination, LaneMask active, const Compute& compute) {
  if (active == kAllLanes) {
    compute(destination);
    return;
  }
  alignas(64) Row aside[kWarpSize];
  compute(aside);
  blend(destination, aside, active);
}

/// destination[lane] = functor(source[lane]...) for the lanes in `active`.
template <class D, class... S, class Functor>
[[gnu::always_inline]] inline void apply(RowOf<D>* destination, LaneMask active, const Functor& functor, const RowOf<S>*... source) {
  alignas(64) RowOf<D> aside[kWarpSize];
  RowOf<D>* out = active == kAllLanes ? destination : aside;
#pragma GCC ivdep
  for (int lane = 0; lane < kWarpSize; ++lane) {
    out[lane] = std::bit_cast<RowOf<D>>(static_cast<D>(functor(std::bit_cast<S>(source[lane])...)));
  }
  if (active != kAllLanes) blend(destination, aside, active);
}

template <class D, class... S, class Functor, std::size_t... kIndex>
[[gnu::always_inline]] inline void apply_step(const Registers& registers, const Step& step, LaneMask active, const Functor& functor,
                                              std::index_sequence<kIndex...>) {
  apply<D, S...>(registers.row<RowOf<D>>(step.dst[0]), active, functor, registers.row<RowOf<S>>(step.src[kIndex])...);
}

/// The operation of a functor D(S...): dst[0] = functor(src[0], src[1] ...). A functor of more than a few
/// lines should be always_inline: one that the compiler leaves out of line keeps the loop from being vectorised.
template <class Functor, class D, class... S>
void lanes(const Registers& registers, const Step& step, LaneMask active) {
  apply_step<D, S...>(registers, step, active, functor_of<Functor>(step), std::index_sequence_for<S...>{});
}

/// lanes<> for the common case that destination and `kSources` sources all are T.
template <class Functor, class T, int kSources>
constexpr LaneOperation uniform_lanes() {
  static_assert(kSources >= 1 && kSources <= 3);
  if constexpr (kSources == 1) {
    return lanes<Functor, T, T>;
  } else if constexpr (kSources == 2) {
    return lanes<Functor, T, T, T>;
  } else {
    return lanes<Functor, T, T, T, T>;
  }
}

/// A mask with bit `lane` set where functor(source[lane]...) holds.
template <class... S, class Functor>
[[gnu::always_inline]] inline LaneMask test(const Functor& functor, const RowOf<S>*... source) {
  LaneMask mask = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) mask |= functor(std::bit_cast<S>(source[lane])...) ? LaneMask{1} << lane : LaneMask{0};
  return mask;
}

/// The predicate that stands as source `index`, with its `!` applied.
inline LaneMask predicate_source(const Registers& registers, const Step& step, int index) {
  const LaneMask value = registers.predicate(step.src[index]);
  return (step.source_negated >> index & 1u) != 0 ? ~value : value;
}

/// Writes a predicate for the lanes in `active`; `offset` may be the sink `_`.
inline void write_predicate(const Registers& registers, std::uint32_t offset, LaneMask value, LaneMask active) {
  if (offset == kNoRegister) return;
  LaneMask& destination = registers.predicate(offset);
  destination = (destination & ~active) | (value & active);
}

}  // namespace warpbook::vgpu::ops
