#pragma once
// What grading found out. Reports and the store see these values and nothing else.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/device/kernel_meters.hpp"
#include "judge/grade/verdict.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

/// The element that is furthest over its bound.
struct WorstElement {
  std::string tensor;
  std::int64_t row = 0, column = 0;
  double got = 0, expected = 0;
  double error = 0, bound = 0;       ///< |got - expected| and what rounding allows
  std::int64_t over = 0, total = 0;  ///< elements over their bound, elements compared
};

/// The values of one output as they came back, rows of `cols`.
struct Answer {
  std::string tensor;
  std::int64_t cols = 0;
  std::vector<double> values;
};

struct PassCount {
  std::string tensor;
  double read = 0, write = 0;  ///< bytes that lanes requested of it / its bytes
};

struct CaseResult {
  std::string name;
  task::CaseKind kind = task::CaseKind::kNormal;
  std::string about;  ///< what kind of input it is
  std::string tag;
  std::int64_t rows = 0, cols = 0;
  Verdict verdict = Verdict::kJudgeError;
  Reason reason = Reason::kInternal;
  std::string message;                ///< one sentence for people
  std::optional<WorstElement> worst;  ///< also when accepted: the element nearest to its bound
  std::optional<device::Fault> fault;
  std::vector<device::Fault> remarks;  ///< warnings and information of the checkers: they do not decide the verdict
  std::vector<std::string> notes;      ///< sentences for people: what else was seen
  std::vector<PassCount> passes;
  std::int64_t blocks = 0;  ///< of the largest grid that was launched
  device::Counters counters;
  std::vector<device::KernelMeters> kernels;  ///< filled when meters are asked for
  std::string output;  ///< what the submission printed
  double seconds = 0;

  // For whoever runs the case again in another order; not part of the report.
  bool order_matters = false;  ///< another order of blocks and warps could change the answer
  std::vector<Answer> answers;

  /// What came back of a tensor; nullptr when nothing did.
  const Answer* answer_of(std::string_view tensor) const {
    for (const Answer& a : answers)
      if (a.tensor == tensor) return &a;
    return nullptr;
  }
};

/// A message of the compiler or of the splicer, as shown.
struct Finding {
  std::string file;
  int line = 0, column = 0;
  std::string severity;  ///< "error", "warning", "note"
  std::string message;
  std::string source_line;
};

struct AnswerResult {
  std::string id;
  double points = 0, of = 0;
  bool answered = false;
  bool provisional = false;  ///< a person may override it
  std::string feedback;
  std::string misconception;
};

struct Veto {
  Reason reason = Reason::kChangedOutside;
  std::string evidence;  ///< a unified diff, the claim, the option
};

/// A known mistake that explains the failure.
struct Diagnosis {
  std::string name;                ///< the wrong submission's: "no-shift"
  std::string mistake;             ///< "nothing is subtracted: e^x overflows above 88.7 and vanishes below -104"
  std::string question;            ///< what to ask before the name is told
  std::vector<std::string> cases;  ///< failing cases in which both behave alike
};

/// The smallest input found on which the submission still fails as it did in a case.
struct CounterExample {
  std::string of_case;
  std::int64_t rows = 0, cols = 0;
  std::string input;    ///< for `judge run TASK --input`: input_literal.hpp
  std::string message;  ///< what happens there
};

struct Score {
  double normal = 0, normal_of = 0;
  double boundary = 0, boundary_of = 0;
  double efficiency = 0, efficiency_of = 0;
  double explanation = 0, explanation_of = 0;
  double questions = 0, questions_of = 0;
  double total() const { return normal + boundary + efficiency + explanation + questions; }
  double of() const { return normal_of + boundary_of + efficiency_of + explanation_of + questions_of; }
};

enum class Medal { kNone, kLost, kBronze, kSilver, kGold };
std::string_view name_of(Medal medal);  ///< "gold"
std::optional<Medal> find_medal(std::string_view name);

struct Provenance {
  std::uint64_t seed = 0;  ///< 0 when it came from a secret
  std::string seed_hash;   ///< of that secret; empty: there was none
  std::string device;     ///< "virtual GPU sm_80" or the GPU's name
  std::string toolchain;  ///< "nvcc 13.0.88"
  std::string source_hash, artifact_hash;
  std::string judge_version;
};

struct SubmissionResult {
  std::string task_id, task_title;
  std::string file;  ///< as the learner named it
  Verdict verdict = Verdict::kJudgeError;
  Reason reason = Reason::kInternal;
  std::string message;
  std::vector<Finding> findings;
  std::vector<CaseResult> cases;
  std::vector<task::PassLimit> promised;  ///< the passes that the task promises; reports say when fewer were possible
  std::vector<AnswerResult> answers;
  std::vector<Veto> vetoes;
  Score score;
  Medal medal = Medal::kNone;
  std::string medal_reason;  ///< why a medal is lost
  std::optional<Diagnosis> diagnosis;  ///< what mistake this looks like
  std::optional<CounterExample> counter_example;
  std::string no_occupancy;  ///< why ptxas could not be asked, where it was to be
  bool accepted = false;     ///< every case accepted and no veto
  bool passed = false;       ///< accepted and at least kPassPoints
  Provenance provenance;
  double compile_seconds = 0, seconds = 0;
  bool compile_cached = false, host_cached = false;
};

/// DESIGN: a lesson is passed with every case accepted, 8 or more of 10 points and no veto.
inline constexpr double kPassPoints = 8;

}  // namespace warpbook::grade
