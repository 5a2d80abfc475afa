#pragma once
// Attempts of anybody, for instructors: one with its evidence, and the best of each learner, to be judged again. (What a learner may see
// goes through their own store.)
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/classroom/people.hpp"
#include "judge/store/store.hpp"

namespace warpbook::classroom {

struct Submission {
  Person person;
  store::Attempt attempt;             ///< result_json is empty where a list was asked for
  std::optional<std::string> source;  ///< exactly the text judged; nothing: not kept
  std::optional<std::int64_t> judged_again{};  ///< of best(): the latest attempt that is a new verdict on this one
};

class Submissions {
 public:
  explicit Submissions(std::shared_ptr<store::PostgresPool> pool) : pool_(std::move(pool)) {}
  /// One attempt with its whole result; nothing when there is none of that number. Also of who was removed.
  Result<std::optional<Submission>> find(std::int64_t attempt);
  /// Of each learner of the class (or of those of `people`, when some are named) the ended attempt with most points, the latest of equals.
  Result<std::vector<Submission>> best(const std::string& task, const std::vector<std::int64_t>& people = {});

 private:
  std::shared_ptr<store::PostgresPool> pool_;
};

}  // namespace warpbook::classroom
