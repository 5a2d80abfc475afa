#pragma once
// Inside of the worker: the values that `arguments[i]` points at, and the judge's device memory opened.
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {

/// Device memory of the judge's process, each allocation opened once: several tensors may lie in one.
class SharedMemory {
 public:
  explicit SharedMemory(void* runtime) : runtime_(runtime) {}
  /// The worker ends when it cannot be opened.
  void* open(const SharedTensor& shared);

 private:
  void* runtime_;
  std::map<std::array<std::byte, kHandleBytes>, void*> opened_;
};

/// The arguments of one launch, aligned for any scalar.
class Arguments {
 public:
  /// Shared tensors lie `strides[i]` bytes times `set` behind where they say; without strides, where they say.
  Arguments(const std::vector<WorkerArgument>& arguments, SharedMemory& memory, std::span<const std::uint64_t> strides = {},
            std::uint64_t set = 0);
  void* const* data() const { return pointers_.data(); }

 private:
  void add(const void* bytes, std::size_t count);

  std::vector<std::unique_ptr<std::max_align_t[]>> storage_;
  std::vector<void*> pointers_;
};

}  // namespace warpbook::run
