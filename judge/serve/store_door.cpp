#include "judge/serve/store_door.hpp"

#include <sys/stat.h>

#include "judge/store/sqlite_store.hpp"

namespace warpbook::serve {
namespace {

/// 0: there is no such file.
std::uint64_t inode_of(const std::filesystem::path& file) {
  struct stat found {};
  return ::stat(file.c_str(), &found) == 0 ? found.st_ino : 0;
}

}  // namespace

Result<std::shared_ptr<store::Store>> StoreDoor::open() {
  const std::lock_guard lock(mutex_);
  if (store_ && inode_of(file_) == inode_) return store_;
  store_.reset();
  std::error_code ignored;
  std::filesystem::create_directories(file_.parent_path(), ignored);
  Result<std::unique_ptr<store::Store>> opened = store::open_store(file_);
  if (!opened) return std::move(opened).error();
  store_ = std::move(*opened);
  inode_ = inode_of(file_);
  return store_;
}

}  // namespace warpbook::serve
