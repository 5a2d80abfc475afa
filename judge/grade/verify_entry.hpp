#pragma once
// One file that the author's gate judges: what it is, what its header says of it, and what it got.
#include <string>

#include "judge/grade/submission.hpp"
#include "judge/grade/submission_header.hpp"

namespace warpbook::grade {

enum class EntryKind { kSolution, kCorrect, kWrong };

struct Entry {
  EntryKind kind = EntryKind::kSolution;
  std::string name;  ///< relative to the task's folder: "wrong/no-clamp.cu"
  Submission submission;
  SubmissionHeader header;
  Error problem;  ///< why it could not be judged; what empty: it was
  SubmissionResult result;
};

}  // namespace warpbook::grade
