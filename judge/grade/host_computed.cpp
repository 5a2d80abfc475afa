#include "judge/grade/host_computed.hpp"

#include <fmt/format.h>

namespace warpbook::grade {
namespace {

/// An output smaller than this is no larger than a few constants that an honest program may send, beside an input that it prints.
constexpr std::uint64_t kTellingBytes = 4096;

bool no_kernel_wrote(const TensorUse& t) { return t.output && t.bytes > 0 && t.by_kernels && t.by_kernels->stored_bytes == 0; }

bool no_kernel_read(const TensorUse& t) { return t.by_kernels && t.by_kernels->loaded_bytes == 0; }

}  // namespace

std::string host_computed(const std::vector<TensorUse>& tensors, std::uint64_t sent) {
  if (sent == 0) return {};
  std::uint64_t outputs = 0;
  const TensorUse* input = nullptr;  // one will do: an operator with several needs all of them
  bool all_unread = true, all_fetched = true;
  for (const TensorUse& t : tensors) {
    if (no_kernel_wrote(t) && sent >= t.bytes)
      return fmt::format("no kernel wrote {}: its {} bytes are among the {} that the host sent", t.name, t.bytes, sent);
    if (t.output) outputs += t.bytes;
    if (!t.input_matrix || t.bytes == 0) continue;
    if (input == nullptr) input = &t;
    all_unread &= no_kernel_read(t);
    all_fetched &= t.fetched >= t.bytes;
  }
  if (input == nullptr || outputs == 0 || sent < outputs) return {};
  if (all_unread) return fmt::format("no kernel read {}: the values are among the {} bytes that the host sent", input->name, sent);
  if (all_fetched && outputs >= kTellingBytes)
    return fmt::format("the host fetched all of {} ({} bytes) and sent {} bytes, as many as the answer has or more", input->name,
                       input->bytes, sent);
  return {};
}

}  // namespace warpbook::grade
