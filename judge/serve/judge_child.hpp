#pragma once
// `judge` as a child process on the learner's file. The child works on a copy: what is graded or traced is what was asked about, also when
// the file is saved again meanwhile. The path of the copy below its folder is the one that messages show, so the child starts in the folder.
#include <string>

#include "judge/learner/workbook.hpp"
#include "judge/run/process.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::serve {

struct JudgeChild {
  toolchain::Scratch folder;  ///< goes with it; what a killed server leaves is swept by a later one
  run::Command command;       ///< limits and descriptors are the caller's to add
};

/// `judge VERB TASK FILE` in the workbook's language, on `text`. `file` is relative to the workbook: "work/05-layernorm/exercise.cu".
Result<JudgeChild> judge_child(const learner::Workbook& workbook, const std::string& verb, const std::string& task, const std::string& file,
                               const std::string& text);

}  // namespace warpbook::serve
