#pragma once
// What is remembered between runs: attempts, progress, measurements. A small interface with three implementations: the one file under
// work/ (sqlite_store.hpp), one learner of a class (postgres_store.hpp), and the other end of a socket (remote_store.hpp).
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::store {

/// An attempt as it begins: recorded before judging, so that a crash leaves a trace and not a hole.
struct NewAttempt {
  std::string task;
  std::string source_hash;
  std::uint64_t seed = 0;  ///< of the hidden inputs
  std::string device;      ///< "vgpu" or "gpu"
  std::string source{};    ///< the text judged, kept once however often it is handed in; empty: not kept. Attempts read back leave it out
};

/// A figure a run measured.
struct RecordedMeasurement {
  std::string name;
  double value = 0;
  std::string unit;
};

/// How an attempt ended.
struct AttemptOutcome {
  std::string verdict;  ///< "AC", "WA", ...
  double points = 0;
  bool passed = false;  ///< the whole pass, not only accepted code
  bool medal = false;
  std::string result_json;
  std::vector<RecordedMeasurement> measurements{};
  bool provisional = false;  ///< some points are for text, which a program can only guess at: a person may give others
};

/// An attempt on record.
struct Attempt {
  std::int64_t id = 0;
  NewAttempt begun;
  std::int64_t started_ms = 0;              ///< since 1970, UTC
  std::optional<std::int64_t> finished_ms;  ///< nothing: judging was cut short
  AttemptOutcome outcome;                   ///< without measurements; meaningful once finished
};

/// A hint that was shown.
struct ShownHint {
  std::string task, blank;
  int level = 1;
  std::string tags;  ///< of a hint for a particular failure, "clamp, eps"; empty: the general one of its level
};

/// A question as it was answered and graded.
struct AnsweredQuestion {
  std::string task, question, answer;
  double points = 0, of = 0;
  std::string misconception;  ///< that the answer shows; empty: none known
};

/// What a learner has reached in a task.
struct Progress {
  std::string task;
  int attempts = 0;
  double best_points = 0;
  bool passed = false, medal = false;
  int hint_level = 0;  ///< highest level seen in any blank
  bool solution_opened = false;
};

/// Every call is one transaction: when it returns Done, the record survives a crash; on an Error nothing changed.
class Store {
 public:
  virtual ~Store() = default;

  /// Records an attempt and returns its id.
  virtual Result<std::int64_t> begin_attempt(const NewAttempt& attempt) = 0;
  /// Ends it and brings progress up to date. A second end of the same attempt is an Error.
  virtual Status finish_attempt(std::int64_t id, const AttemptOutcome& outcome) = 0;
  /// The latest attempts of a task, newest first.
  virtual Result<std::vector<Attempt>> attempts(const std::string& task, int limit) = 0;
  /// One attempt, of whatever task; nothing when there is none of that number.
  virtual Result<std::optional<Attempt>> attempt(std::int64_t id) = 0;
  /// The text that an attempt with this source_hash was begun with; nothing when none was kept.
  virtual Result<std::optional<std::string>> source(const std::string& hash) = 0;
  /// Measurements of a task's attempts, oldest first, at most the latest `limit`.
  virtual Result<std::vector<RecordedMeasurement>> measurements(const std::string& task, int limit) = 0;

  /// Progress of one task; all zero when it was never touched.
  virtual Result<Progress> progress(const std::string& task) = 0;
  /// Progress of every task touched, by id.
  virtual Result<std::vector<Progress>> all_progress() = 0;

  /// Highest hint level seen for a blank; 0: none.
  virtual Result<int> hint_level(const std::string& task, const std::string& blank) = 0;
  /// Records what was shown; the same hint again changes nothing.
  virtual Status record_hint(const ShownHint& hint) = 0;
  /// Hints shown for a blank, oldest first. Files of the first version know the highest level only, as one general hint.
  virtual Result<std::vector<ShownHint>> hints_shown(const std::string& task, const std::string& blank) = 0;
  virtual Status record_solution_opened(const std::string& task) = 0;

  /// Records answers; one that says the same as the latest of its question and earned the same changes nothing.
  virtual Status record_answers(const std::vector<AnsweredQuestion>& answers) = 0;
  /// Answers of a task, oldest first.
  virtual Result<std::vector<AnsweredQuestion>> answers(const std::string& task) = 0;

  /// A number that is this learner's own and never changes: it picks question variants.
  virtual Result<std::uint64_t> learner_seed() = 0;
};

}  // namespace warpbook::store
