#pragma once
// The files that a class names beside its own: the secret of hidden inputs and the folder of further cases. Whoever serves a class reads
// them before the first learner comes; each run reads them again, so that what was changed since counts.
#include "judge/base/error.hpp"
#include "judge/serve/class_config.hpp"
#include "judge/serve/task_shelf.hpp"

namespace warpbook::serve {

/// Done, or what the first run would stumble over, with its place: a secret that cannot be read or has fewer than 16 bytes; in the folder
/// of further cases a folder that is no task's, has no cases.xml, or whose cases cannot be read beside the task's own.
Status check_class_files(const ClassConfig& config, const Shelf& shelf);

}  // namespace warpbook::serve
