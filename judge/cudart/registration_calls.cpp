// What an object does when it is loaded: hand over its fat binary, then name its kernels and variables one by one. None of it talks to
// a device; a module is loaded when something of it is first used, so a program that never launches needs none.
#include "judge/cudart/abi.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/runtime.hpp"

namespace warpbook::cudart {
namespace {

struct Registry {
  Runtime& runtime = Runtime::get();
  std::lock_guard<std::mutex> lock{runtime.mutex()};
};

Binary* binary_of(void** handle) { return reinterpret_cast<Binary*>(handle); }

}  // namespace

WARPBOOK_EXPORT void** __cudaRegisterFatBinary(void* wrapper) { return reinterpret_cast<void**>(Registry().runtime.add_binary(wrapper)); }
WARPBOOK_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}
WARPBOOK_EXPORT void __cudaUnregisterFatBinary(void** handle) { Registry().runtime.remove_binary(binary_of(handle)); }
/// Host code asks before its first use of a __managed__ variable, whose address it then expects to find in its shadow.
WARPBOOK_EXPORT char __cudaInitModule(void** handle) {
  Registry().runtime.place_managed(binary_of(handle));
  return 1;
}

WARPBOOK_EXPORT void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*, abi::Dim3*,
                                            abi::Dim3*, int*) {
  Registry().runtime.add_kernel(binary_of(handle), host, name);
}

WARPBOOK_EXPORT void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t, int, int) {
  Registry().runtime.add_variable(binary_of(handle), host, name, false);
}

WARPBOOK_EXPORT void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t, int, int) {
  Registry().runtime.add_variable(binary_of(handle), host, name, true);
}

// Textures, surfaces and host variables of file scope cannot be used through any call that is supported, so their names are not kept.
WARPBOOK_EXPORT void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
WARPBOOK_EXPORT void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
WARPBOOK_EXPORT void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

}  // namespace warpbook::cudart
