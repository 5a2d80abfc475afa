#include "judge/run/worker/arguments.hpp"

#include <cstring>
#include <string>

#include "judge/run/worker/last_words.hpp"

namespace warpbook::run {
namespace {

constexpr unsigned kLazyPeerAccess = 1;  // cudaIpcMemLazyEnablePeerAccess

struct IpcHandle {
  std::byte bytes[kHandleBytes];
};
using OpenFunction = int (*)(void**, IpcHandle, unsigned);

}  // namespace

void* SharedMemory::open(const SharedTensor& shared) {
  void*& base = opened_[shared.handle];
  if (!base) {
    IpcHandle handle;
    std::memcpy(handle.bytes, shared.handle.data(), sizeof handle.bytes);
    const int code = runtime_function<OpenFunction>(runtime_, "cudaIpcOpenMemHandle")(&base, handle, kLazyPeerAccess);
    if (code != 0) fail(WorkerStage::kNoSharedTensor, "cudaIpcOpenMemHandle answers CUDA error " + std::to_string(code));
  }
  return static_cast<std::byte*>(base) + shared.offset;
}

Arguments::Arguments(const std::vector<WorkerArgument>& arguments, SharedMemory& memory, std::span<const std::uint64_t> strides,
                     std::uint64_t set) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto* shared = std::get_if<SharedTensor>(&arguments[i])) {
      void* address = static_cast<std::byte*>(memory.open(*shared)) + (i < strides.size() ? strides[i] * set : 0);
      add(&address, sizeof address);
    } else {
      const auto& bytes = std::get<0>(arguments[i]);
      add(bytes.data(), bytes.size());
    }
  }
}

void Arguments::add(const void* bytes, std::size_t count) {
  storage_.push_back(std::make_unique<std::max_align_t[]>(count / sizeof(std::max_align_t) + 1));
  if (count > 0) std::memcpy(storage_.back().get(), bytes, count);
  pointers_.push_back(storage_.back().get());
}

}  // namespace warpbook::run
