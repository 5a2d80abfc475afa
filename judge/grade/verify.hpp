#pragma once
// The author's gate. A task is accepted when its solution and every alternative solution pass in every order of blocks and warps, far
// inside their bounds and without a word from the checkers; when every wrong submission fails with the declared verdict in exactly the
// declared cases, far outside of the bounds; and when every case kills at least one wrong submission: tests must earn their place.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/grade/grade.hpp"
#include "judge/grade/submission_header.hpp"

namespace warpbook::grade {

/// One thing that must hold, and whether it does.
struct Check {
  std::string what;  ///< "wrong/no-clamp.cu fails as declared"
  bool passed = false;
  std::string detail;  ///< what is and what should be, when it does not
};

/// Submissions x cases: the verdict and reason each got.
struct KillMatrix {
  struct Row {
    std::string name;               ///< "wrong/no-clamp.cu"
    std::vector<Verdict> verdicts;  ///< per case
    std::vector<Reason> reasons;
    bool medal_lost = false;
  };
  std::vector<std::string> cases;
  std::vector<Row> rows;
};

struct Verification {
  std::string task_id;
  std::vector<Check> checks;
  KillMatrix matrix;                          ///< wrong submissions only
  std::vector<SubmissionResult> submissions;  ///< everything that was judged; `file` is the name below the task's folder
  std::string readme;                         ///< what the README of the task's folder should be; empty when too little was run to say
};

/// The verification as JSON: checks, and verdict and reason of every submission in every case.
nlohmann::json to_json(const Verification& verification);

/// What the gate asks of every task.
inline constexpr int kLeastWrong = 5, kLeastCorrect = 2, kLeastNormalCases = 4, kLeastBoundaryCases = 8, kLeastWrongInBlanks = 3;

struct VerifyOptions {
  bool keep_results = false;    ///< results of an unchanged submission, manifest, seed and judge are taken from the cache
  bool compare_matrix = false;  ///< the README of the folder must hold the kill matrix
};

/// Runs everything of one task. `options.jobs` submissions at once; on a GPU submissions marked vgpu-only are left out.
Verification verify(const task::Task& task, const GradeOptions& options, const VerifyOptions& how = {});

}  // namespace warpbook::grade
