#pragma once
// Numbers a learner predicts: computed from the parameters of a question, of which a seed picks a variant.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/claims.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// Question::predictor when the manifest gives the number itself.
inline constexpr std::string_view kPredictByValue = "value";
/// Question::predictor when the answer is a figure of the learner's own.
inline constexpr std::string_view kPredictMeasured = "measured";
/// WrongPrediction::predictor of a belief that is off by a factor.
inline constexpr std::string_view kPredictByFactor = "times";

struct ParameterRule {
  std::string name;
  bool required = true;
};

using Parameters = std::map<std::string, std::string>;

/// A way to compute an answer from concrete parameters.
struct Predictor {
  std::string name;
  std::vector<ParameterRule> parameters;
  std::function<Result<double>(const Parameters&)> compute;
};

/// Every predictor the manifest may name.
const std::vector<Predictor>& predictors();
/// The predictor of that name, "value" and "measured" among them, or null.
const Predictor* find_predictor(std::string_view name);

/// What one learner is asked: parameters as picked, and the number that is right. No number when it takes a figure that no run recorded.
struct Variant {
  Parameters parameters;             ///< figures of the learner filled in; empty where one is missing
  std::vector<std::string> missing;  ///< names of the figures that are not on record
  std::optional<double> expected;
};

/// The variant of a question for a learner. Errors say which parameter is missing or makes no sense.
Result<Variant> predict(const std::string& task_id, const Question& question, std::uint64_t seed, const std::vector<Measurement>& recorded);

/// The number that a wrong belief predicts for this variant; its misconception is the question's at the same place. No number when the
/// variant has none.
Result<std::optional<double>> wrong_prediction(const WrongPrediction& wrong, const Variant& variant);

/// The prompt with {name} replaced by the parameter of that name; an unknown name is an error.
Result<std::string> fill_in(const std::string& prompt, const Parameters& parameters);

/// The one number in an answer ("= -2.25", "1,024 sectors", "about 0x10", "NaN", "-∞"); nothing when there is none, or more than one.
std::optional<double> number_in(std::string_view answer);

/// Whether the answer is near enough: NaN by NaN, infinite by the same, otherwise |difference| within the question's tolerance.
bool predicted(const Question& question, double expected, double answer);

}  // namespace warpbook::task
