#pragma once
// Points that a person gave in place of the judge's, each with a reason. Nothing is ever deleted: to lift an override is another entry.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/store/postgres.hpp"

namespace warpbook::classroom {

struct Override {
  std::int64_t person = 0;
  std::string task;
  double points = 0;  ///< of the whole task, in place of those of the best attempt
  std::string reason;
  std::int64_t by = 0;      ///< the instructor's number
  std::int64_t set_ms = 0;  ///< since 1970, UTC; chosen by set()
};

/// An entry of the history.
struct OverrideEntry {
  Override what;        ///< of one that lifts: points 0
  bool lifted = false;  ///< from here on the judge's points counted again
  std::string by_name;
};

/// Bytes of a reason.
inline constexpr std::size_t kLongestReason = 2000;
/// Not empty and not too long.
Status check_reason(const std::string& reason);

/// For whoever records something else with an override, in a transaction of their own: takes the learner's row, so that one comes after the
/// other (an Error when there is nobody of that number); the points that stand in place of the judge's (nothing: none do); puts points
/// there.
Status lock_learner(store::PostgresTransaction& transaction, std::int64_t person);
Result<std::optional<double>> standing_override(store::PostgresTransaction& transaction, std::int64_t person, const std::string& task);
Status set_override_in(store::PostgresTransaction& transaction, const Override& entry);

class Overrides {
 public:
  explicit Overrides(std::shared_ptr<store::PostgresPool> pool) : pool_(std::move(pool)) {}

  /// Puts points in place; an earlier override stays in the history. Returns it as it stands. Errors: no reason, points that are negative
  /// or no number (how many a task has, only the caller knows), nobody of that number.
  Result<Override> set(const Override& wanted);
  /// The judge's points count again. False when no override stood. Errors as of set.
  Result<bool> lift(std::int64_t person, const std::string& task, std::int64_t by, const std::string& reason);
  /// Everything about one learner's task, oldest first.
  Result<std::vector<OverrideEntry>> history(std::int64_t person, const std::string& task);

 private:
  std::shared_ptr<store::PostgresPool> pool_;
};

}  // namespace warpbook::classroom
