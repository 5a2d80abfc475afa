#pragma once
// Makers of golden kernels, one per kind of instruction. Internal to this folder.
#include "judge/tests/ptx/golden/builder.hpp"

namespace warpbook::golden {

Kernel arithmetic_kernel(const Variant& variant);
std::vector<Kernel> memory_kernels(const Variant& variant);   ///< ld, ldu, st
std::vector<Kernel> atomic_kernels(const Variant& variant);   ///< atom, red
std::vector<Kernel> wide_atomic_kernels();                    ///< of 128 bits, and of vectors
std::vector<Kernel> warp_kernels(const Variant& variant);     ///< shfl, vote, match, redux, activemask, elect
std::vector<Kernel> order_kernels(const Variant& variant);    ///< barriers, fences, hints, addresses, asynchronous copies
std::vector<Kernel> control_kernels(const Variant& variant);  ///< branches, calls, ends

}  // namespace warpbook::golden
