#pragma once
// Where a class stumbles: per task which verdicts, which cases fail, which mistakes and beliefs show.
#include <memory>
#include <string>
#include <vector>

#include "judge/store/postgres.hpp"

namespace warpbook::classroom {

/// How often something was; lists are sorted, most first.
struct Count {
  std::string name;      ///< "AC", the code of a reason, the name of a wrong submission, a belief
  std::string sentence;  ///< of a reason: for people; of a mistake: what it is; else empty
  int count = 0;
};

/// A case, over the attempts counted.
struct CaseCount {
  std::string name, kind, about;  ///< kind: "normal" or "boundary"
  int ran = 0, failed = 0;        ///< a judge's error is neither
};

/// Over some attempts that have ended.
struct AttemptFigures {
  int attempts = 0;
  std::vector<Count> verdicts, reasons, mistakes;
  std::vector<CaseCount> cases;  ///< in the order of the task
};

struct TaskStatistics {
  std::string task;
  int learners = 0;                   ///< who have ended an attempt
  AttemptFigures latest, all;         ///< the latest ended attempt of each learner; all of them
  std::vector<Count> misconceptions;  ///< that the latest answers of learners show, each learner once
};

class Statistics {
 public:
  explicit Statistics(std::shared_ptr<store::PostgresPool> pool) : pool_(std::move(pool)) {}
  /// Counts learners of the class; attempts of instructors and of who was removed are left out.
  Result<TaskStatistics> of(const std::string& task);

 private:
  std::shared_ptr<store::PostgresPool> pool_;
};

}  // namespace warpbook::classroom
