#pragma once
// The author's gate. A task is accepted when its solution passes, every alternative solution passes, every wrong submission fails with the
// declared verdict in exactly the declared cases, and every case kills at least one wrong submission: tests must earn their place.
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
  };
  std::vector<std::string> cases;
  std::vector<Row> rows;
};

struct Verification {
  std::string task_id;
  std::vector<Check> checks;
  KillMatrix matrix;                          ///< wrong submissions only
  std::vector<SubmissionResult> submissions;  ///< everything that was judged; `file` is the name below the task's folder
};

/// The verification as JSON: checks, and verdict and reason of every submission in every case.
nlohmann::json to_json(const Verification& verification);

/// What the gate asks of every task.
inline constexpr int kLeastWrong = 5, kLeastCorrect = 2, kLeastNormalCases = 4, kLeastBoundaryCases = 8, kLeastWrongInBlanks = 3;

/// Runs everything of one task. `options.jobs` submissions at once; on a GPU submissions marked vgpu-only are left out.
Verification verify(const task::Task& task, const GradeOptions& options);

}  // namespace warpbook::grade
