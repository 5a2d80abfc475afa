#include "judge/learner/open_progress.hpp"

#include "judge/store/sqlite_store.hpp"

namespace warpbook::learner {

Result<std::shared_ptr<store::Store>> open_progress(const Workbook& workbook) {
  if (workbook.progress) return workbook.progress;
  Result<std::unique_ptr<store::Store>> opened = store::open_store(workbook.store_file());
  if (!opened) return std::move(opened).error();
  return std::shared_ptr<store::Store>(std::move(*opened));
}

bool has_progress(const Workbook& workbook) {
  std::error_code ignored;
  return workbook.progress != nullptr || std::filesystem::exists(workbook.store_file(), ignored);
}

}  // namespace warpbook::learner
