#pragma once
// What the calls that get and give back device memory share.
#include <cstddef>

#include "judge/cudart/call.hpp"

namespace warpbook::cudart {

/// Device memory for `call`; 0 bytes give a null pointer and success, as CUDA does. `pool`: whose it is, or null.
int allocate(Call& call, void** out, std::size_t bytes, void* pool = nullptr);
/// Any memory of the device: plain, managed, of a pool.
int release(Call& call, void* pointer);

/// What memory of pools counts as in use. `get`: adds (bytes positive) or takes away.
void count_in_pool(void* pool, std::int64_t bytes);

}  // namespace warpbook::cudart
