// What differs between libcudart.so.12 and libcudart.so.13; compiled once for each with WARPBOOK_CUDART_MAJOR.
#include <fmt/format.h>

#include "judge/cudart/call.hpp"
#include "judge/cudart/device_prop.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

template <class Prop>
int properties(Prop* out, int number) {
  Call call("cudaGetDeviceProperties");
  if (number != 0) return call.fail(device::Code{101}, fmt::format("there is no device {}, only device 0", number));
  if (!out) return call.fail(device::Code::kInvalidValue, "no place for the properties is given");
  abi::fill_device_prop(*out, call.runtime().properties());
  return call.success();
}

}  // namespace

#if WARPBOOK_CUDART_MAJOR == 13
int runtime_version() { return 13000; }
WARPBOOK_EXPORT int cudaGetDeviceProperties(abi::DeviceProp13* out, int number) { return properties(out, number); }
#else
int runtime_version() { return 12090; }
WARPBOOK_EXPORT int cudaGetDeviceProperties_v2(abi::DeviceProp12* out, int number) { return properties(out, number); }
#endif

}  // namespace warpbook::cudart
