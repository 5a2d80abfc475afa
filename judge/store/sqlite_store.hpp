#pragma once
// The store that is one SQLite file.
#include <filesystem>
#include <memory>

#include "judge/store/store.hpp"

namespace warpbook::store {

/// Opens or creates `path` (usually work/progress.sqlite). A damaged file, one of another program or of a newer judge, a folder that
/// cannot be written are Errors, and the file stays as it is. Several processes and threads may use one file at once.
Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& path);

}  // namespace warpbook::store
