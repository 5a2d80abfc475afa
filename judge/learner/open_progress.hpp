#pragma once
// The one way to what is remembered of a learner: the file under work/, or what a class server put in its place.
#include <memory>

#include "judge/learner/workbook.hpp"
#include "judge/store/store.hpp"

namespace warpbook::learner {

/// The workbook's own store where it has one, else its file, which is made when it is not there. Errors are those of opening the file.
Result<std::shared_ptr<store::Store>> open_progress(const Workbook& workbook);

/// Whether anything can be remembered yet: false when there is neither a store nor a file. Asking makes no file.
bool has_progress(const Workbook& workbook);

}  // namespace warpbook::learner
