// What went wrong: the calling thread's last error, and what an error is called.
#include "judge/cudart/call.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {

WARPBOOK_EXPORT int cudaGetLastError() { return static_cast<int>(last_error(true)); }
WARPBOOK_EXPORT int cudaPeekAtLastError() { return static_cast<int>(last_error(false)); }
WARPBOOK_EXPORT const char* cudaGetErrorName(int error) { return device::name_of(device::Code{error}).data(); }
WARPBOOK_EXPORT const char* cudaGetErrorString(int error) { return device::meaning_of(device::Code{error}).data(); }

}  // namespace warpbook::cudart
