#pragma once
// The progress file, kept open: opening looks through it for damage, which is too slow for each request. When somebody takes the file away
// or puts another in its place, the next request opens that one.
#include <filesystem>
#include <memory>
#include <mutex>

#include "judge/store/store.hpp"

namespace warpbook::serve {

class StoreDoor {
 public:
  explicit StoreDoor(std::filesystem::path file) : file_(std::move(file)) {}

  /// The store; used by several threads at once. Errors are those of opening, and the next call tries again.
  Result<std::shared_ptr<store::Store>> open();

 private:
  std::filesystem::path file_;
  std::mutex mutex_;
  std::shared_ptr<store::Store> store_;
  std::uint64_t inode_ = 0;
};

}  // namespace warpbook::serve
