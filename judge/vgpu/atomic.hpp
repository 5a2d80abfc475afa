#pragma once
// What atom and red do to one element of memory.
#include <cstdint>

#include "judge/ptx/module.hpp"

namespace warpbook::vgpu {

/// The new value of an element from its old one and the operands (`c` is the swapped-in value of cas). Bits above the element's are zero.
using AtomicOperation = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

/// The operation of an atom or red instruction; null when there is none. f32 addition flushes subnormals in global memory only, which is
/// what `flush` says (PTX manual, atom); which NaN an f64 addition gives depends on it too (an H200).
AtomicOperation atomic_operation(ptx::AtomOp op, ptx::Type type, bool flush);

}  // namespace warpbook::vgpu
