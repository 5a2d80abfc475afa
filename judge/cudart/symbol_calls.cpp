// __device__ and __constant__ variables from the host: a program names one by the address of its host shadow.
#include <fmt/format.h>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

/// The device address of bytes [offset, offset + bytes) of a variable.
Answer place_of(Runtime& runtime, const void* symbol, std::size_t bytes, std::size_t offset, void*& place) {
  Answer answer;
  const Variable* variable = runtime.find_variable(symbol, answer);
  if (!variable) return answer;
  if (offset > variable->bytes || bytes > variable->bytes - offset)
    return {Code::kInvalidValue,
            fmt::format("{} bytes at offset {} do not fit into {}, which has {} bytes", bytes, offset, variable->name, variable->bytes)};
  place = reinterpret_cast<void*>(variable->address + offset);
  return answer;
}

bool goes_to_device(int direction) {
  return direction == abi::kHostToDevice || direction == abi::kDeviceToDevice || direction == abi::kByAddress;
}
bool comes_from_device(int direction) {
  return direction == abi::kDeviceToHost || direction == abi::kDeviceToDevice || direction == abi::kByAddress;
}

int copy_to(Call& call, const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int direction, void* stream) {
  Answer answer = check_stream(stream);
  void* place = nullptr;
  if (answer.ok() && !goes_to_device(direction)) answer = {Code{21}, "a copy to a symbol goes to the device"};
  if (answer.ok()) answer = place_of(call.runtime(), symbol, bytes, offset, place);
  if (answer.ok()) answer = submit(call, stream, copy_of(place, from, bytes, direction));
  return call.finish(answer);
}

int copy_from(Call& call, void* to, const void* symbol, std::size_t bytes, std::size_t offset, int direction, void* stream) {
  Answer answer = check_stream(stream);
  void* place = nullptr;
  if (answer.ok() && !comes_from_device(direction)) answer = {Code{21}, "a copy from a symbol comes from the device"};
  if (answer.ok()) answer = place_of(call.runtime(), symbol, bytes, offset, place);
  if (answer.ok()) answer = submit(call, stream, copy_of(to, place, bytes, direction));
  call.runtime().show_output();
  return call.finish(answer);
}

}  // namespace

WARPBOOK_EXPORT int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int direction) {
  Call call("cudaMemcpyToSymbol");
  return copy_to(call, symbol, from, bytes, offset, direction, nullptr);
}
WARPBOOK_ALSO(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

WARPBOOK_EXPORT int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int direction,
                                            void* stream) {
  Call call("cudaMemcpyToSymbolAsync");
  return copy_to(call, symbol, from, bytes, offset, direction, stream);
}
WARPBOOK_ALSO(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

WARPBOOK_EXPORT int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int direction) {
  Call call("cudaMemcpyFromSymbol");
  return copy_from(call, to, symbol, bytes, offset, direction, nullptr);
}
WARPBOOK_ALSO(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

WARPBOOK_EXPORT int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int direction,
                                              void* stream) {
  Call call("cudaMemcpyFromSymbolAsync");
  return copy_from(call, to, symbol, bytes, offset, direction, stream);
}
WARPBOOK_ALSO(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

WARPBOOK_EXPORT int cudaGetSymbolAddress(void** out, const void* symbol) {
  Call call("cudaGetSymbolAddress");
  if (!out) return call.fail(Code::kInvalidValue, "no place for the address is given");
  return call.finish(place_of(call.runtime(), symbol, 0, 0, *out));
}

WARPBOOK_EXPORT int cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  Call call("cudaGetSymbolSize");
  if (!bytes) return call.fail(Code::kInvalidValue, "no place for the size is given");
  Answer answer;
  const Variable* variable = call.runtime().find_variable(symbol, answer);
  if (variable) *bytes = variable->bytes;
  return call.finish(answer);
}

}  // namespace warpbook::cudart
