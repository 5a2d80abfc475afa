#pragma once
// What the assembler makes of products: PTX is not yet what the GPU computes. nvcc leaves `a*b - c` as an unqualified mul and sub, and
// ptxas (and the driver's assembler) contracts them to one fma, rounded once. Which pairs it takes was measured on an H200
// (judge/tests/calibration/contract.cu, judge/tests/ptx/shapes); the rule that reproduces those measurements:
//
//   A product without `.rn` (or any rounding) and without `.sat` disappears into the sums and differences that use it, when all its
//   uses are such, say no rounding, have the product's type and `.ftz`, and stand in the product's straight-line run. One other use
//   (a store, a comparison, a select, the addend of an fma, both operands of one sum) keeps it, rounded, for all. Copies and
//   negations on the way are followed and disappear too. Of two products in one sum the one with fewer uses is taken, then the first.
//   A run ends where control can part or join, and also (the surprise) at whatever the assembler replaces by code with branches:
//   fences, calls, IEEE division, reciprocal and square root, most integer divisions, guarded loads, stores, shuffles and barriers.
//   So the place of a division between a product and its difference decides how the difference rounds. Guarded arithmetic does
//   not end a run, barriers and shuffles without guard neither.
//   Products of two halves (f16x2, bf16x2) are taken in the whole function, whatever lies between.
//
// Not modelled, because nvcc's own optimiser has been there before: moving invariant sums out of loops, unrolling loops with
// constant trip count, removing dead code. The measured shapes of this kind are marked in judge/tests/ptx/shapes/shapes.def.
#include <cstddef>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

/// Replaces products and the sums that use them by `fma.rn`, in place; labels and targets follow. A sign that the rewriting needs is
/// Operand::negated on a register source of type float, or is put into a constant. The fma keeps line, guard and .sat of the
/// sum. Where a factor is overwritten before the sum, a copy of it stands in the product's place. Returns the number of sums replaced.
std::size_t fuse_products(Function& function);

/// All functions of a module.
std::size_t fuse_products(Module& module);

}  // namespace warpbook::ptx
