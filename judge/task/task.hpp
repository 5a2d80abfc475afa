#pragma once
// A folder of lessons/ or exercises/ in memory. Read by manifest.cpp, which refuses whatever it does not know.
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/inputs/spec.hpp"

namespace warpbook::task {

/// A text in English and, where given, other languages ("zh"). English is the fallback.
struct Text {
  std::map<std::string, std::string> by_language;
  const std::string& in(const std::string& language) const;
};

enum class TaskKind { kLesson, kExercise };
enum class CaseKind { kNormal, kBoundary };
enum class CheckKind { kBound, kFinite };  ///< compare under the bound, or ask only for finite values below `magnitude`

/// A call of the launch function that a case makes fail although it would succeed.
enum class FailingCall { kNone, kLaunch, kMalloc, kMemset, kMemcpy, kFuncSetAttribute };

/// A hidden input.
struct Case {
  std::string name;
  CaseKind kind = CaseKind::kNormal;
  std::string about;  ///< what kind of input it is, one sentence for the learner: "constant rows of 1000 + 0.37 r"
  std::map<std::string, std::string> about_in;  ///< the same in other languages
  std::int64_t rows = 0, cols = 0;
  std::int64_t gpu_rows = 0, gpu_cols = 0;  ///< larger shape on a real GPU; 0: the same
  CheckKind check = CheckKind::kBound;
  double magnitude = 0;  ///< for kFinite: largest |value| allowed
  std::string bound;     ///< name of the operator's bound; empty: the task's
  std::string tag;       ///< the boundary it stands for; explanations may name it
  std::map<std::string, inputs::Fill> fills;
  std::map<std::string, inputs::Layout> layouts;
  std::map<std::string, double, std::less<>> scalars;
  FailingCall fail = FailingCall::kNone;
  int fail_at = 1;  ///< which of these calls fails, from 1
};

enum class BlankScope { kDevice, kHost };

/// A hint for learners who failed in a particular way; shown in the place of the general hint of its level.
struct TaggedHint {
  int level = 1;
  std::vector<std::string> tags;  ///< tags of cases, codes of reasons ("race") and verdicts ("TLE")
  Text text;
};

/// A gap the learner fills.
struct Blank {
  std::string name;
  BlankScope scope = BlankScope::kDevice;
  int lines = 1;                   ///< about how many lines it takes
  std::vector<Text> hints;         ///< four, from area to answer
  std::vector<TaggedHint> tagged;  ///< beside them, by level and then as they stand in the manifest
};

enum class QuestionKind { kOrder, kPredict, kChoice, kText };

struct OrderStep {
  std::string id;
  Text text;
  int position = 0;    ///< 1-based place in the right order; 0: a distractor
  Text misconception;  ///< of a distractor: what believing in it means; may be empty
};

struct Option {
  std::string id;
  Text text;
  bool right = false;
  Text misconception;  ///< what believing a wrong option means
  bool veto = false;   ///< a fatal misconception
};

/// A number that a wrong belief predicts: computed as that belief would have it, so that it fits every variant.
struct WrongPrediction {
  std::string predictor;                          ///< name of a predictor; "value": `number`; "times": the right answer times `number`
  double number = 0;                              ///< for "value" and "times"
  std::map<std::string, std::string> parameters;  ///< of the predictor; what is missing is taken from the answer's
  Text misconception;
};

/// A cause -> effect link of a text answer; any accepted wording (case-insensitive regular expression) earns it.
struct RubricLink {
  std::string name;
  double points = 0;
  std::vector<std::string> cause;
  std::vector<std::string> effect;
};

struct Question {
  std::string id;
  QuestionKind kind = QuestionKind::kChoice;
  double points = 2;
  Text prompt;
  std::vector<OrderStep> steps;  ///< order
  std::vector<Option> options;   ///< choice
  std::string predictor;         ///< predict: name of a predictor in predict.cpp, or "value"
  double expected = 0;           ///< predict with "value"
  double tolerance = 0;          ///< predict: largest |difference|, relative when `relative`
  bool relative = false;
  std::map<std::string, std::string> parameters;  ///< predict: parameters of the predictor; {name} in the prompt shows them
  std::vector<WrongPrediction> wrong;             ///< predict: numbers that show a misconception
  std::vector<RubricLink> links;                  ///< text
  Text reference;                                 ///< the reference answer (earns all points)
  Text because;                                   ///< shown afterwards
};

/// Passes over a tensor that the task promises (bytes that lanes requested / bytes of the tensor).
struct PassLimit {
  std::string tensor;
  double read = -1, write = -1;  ///< -1: not limited
};

/// How many blocks the largest grid of a case has: too few leave multiprocessors idle, too many have nothing to do.
struct BlockLimit {
  std::string case_name;
  std::int64_t least = 0, most = 0;  ///< 0: not limited
};

struct Points {
  double normal = 2, boundary = 1, explain = 1;  ///< of the code part; open problems: 4, 4, 0
  double efficiency = 0;                         ///< open problems: 2
};

struct Task {
  std::string id;  ///< folder name: "05-layernorm"
  TaskKind kind = TaskKind::kLesson;
  int level = 1;
  std::string operator_name;
  std::string launch;                   ///< name of the launch function
  std::vector<std::string> parameters;  ///< of the launch function; never empty after reading
  std::string bound;                    ///< name of the operator's bound; empty: its first
  Text title;
  std::vector<std::string> requires_ids;
  std::vector<Blank> blanks;
  Points points;
  std::vector<Case> cases;
  std::vector<PassLimit> passes;
  std::vector<BlockLimit> blocks;
  std::vector<Question> questions;
  std::optional<Question> explanation;  ///< kind kText; earns points.explain
  std::filesystem::path folder;         ///< where manifest, text and starter lie
  std::filesystem::path starter;        ///< exercise.cu or starter.cu
  std::filesystem::path solution;       ///< solution.cu (for open problems under solutions/)
  std::filesystem::path wrong_folder, correct_folder;
};

}  // namespace warpbook::task
