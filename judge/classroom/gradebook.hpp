#pragma once
// What everybody has reached, in one query.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/classroom/overrides.hpp"
#include "judge/classroom/people.hpp"

namespace warpbook::classroom {

/// One learner's task.
struct Cell {
  std::string task;
  int attempts = 0;
  double best_points = 0;  ///< the judge's
  bool passed = false, medal = false;
  bool provisional = false;  ///< the best attempt has points for text, and no person has said yet what they are worth
  std::optional<Override> override{};
  std::int64_t changed_ms = 0;  ///< when the best attempt ended or the override was set; 0: neither

  /// What counts.
  double points() const { return override ? override->points : best_points; }
};

struct GradebookRow {
  Person person;
  std::vector<Cell> cells;  ///< one a task asked for, in that order
  double total() const;
};

class Gradebook {
 public:
  explicit Gradebook(std::shared_ptr<store::PostgresPool> pool) : pool_(std::move(pool)) {}
  /// The learners of the class by name, each with a cell for each of `tasks`, also where nothing was tried.
  Result<std::vector<GradebookRow>> rows(const std::vector<std::string>& tasks);
  /// One cell; all zero when nothing was tried.
  Result<Cell> cell(std::int64_t person, const std::string& task);

 private:
  std::shared_ptr<store::PostgresPool> pool_;
};

}  // namespace warpbook::classroom
