#include "judge/task/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/base/text.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/predict.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

constexpr std::string_view kMeasuredOpening = "{measured:";
constexpr std::string_view kPasses = "passes ";

/// Figures of a case besides the passes over its tensors; grade::measurements_of makes them.
const std::vector<std::string> kFigures{
    "bytes read",        "bytes written",       "sectors read",       "sectors written",   "load requests",          "store requests",
    "sectors per load",  "sectors per store",   "shared requests",    "shared wavefronts", "wavefronts per request", "barriers",
    "warp instructions", "thread instructions", "divergent branches", "error of bound",
};

/// Calls `found(name)` for every {measured:NAME} and `between(text)` for what stands around them.
template <class Between, class Found>
void walk(std::string_view text, const Between& between, const Found& found) {
  while (true) {
    const std::size_t open = text.find(kMeasuredOpening);
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return between(text);
    between(text.substr(0, open));
    found(trimmed(text.substr(open + kMeasuredOpening.size(), close - open - kMeasuredOpening.size())));
    text.remove_prefix(close + 1);
  }
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

/// The names in "a | measured:plain: barriers | b".
void add_from_value(std::vector<std::string>& names, std::string_view value) {
  while (true) {
    const std::size_t bar = std::min(value.find('|'), value.size());
    const std::string_view alternative = trimmed(value.substr(0, bar));
    if (alternative.starts_with(kMeasuredPrefix)) add_once(names, std::string(trimmed(alternative.substr(kMeasuredPrefix.size()))));
    if (bar == value.size()) return;
    value.remove_prefix(bar + 1);
  }
}

}  // namespace

std::optional<Measurement> latest_figure(const std::vector<Measurement>& recorded, std::string_view name) {
  const auto found = std::find_if(recorded.rbegin(), recorded.rend(), [&](const Measurement& m) { return m.name == name; });
  if (found == recorded.rend()) return std::nullopt;
  return *found;
}

std::string figure_text(const Measurement& figure) {
  constexpr double kSmallest = 0.01;
  if (!std::isfinite(figure.value)) return number_text(figure.value);
  if (figure.value == std::floor(figure.value) && figure.unit != "passes") return fmt::format("{:.0f}", figure.value);
  if (figure.value != 0 && std::fabs(figure.value) < kSmallest) return fmt::format("{:.3g}", figure.value);
  return fmt::format("{:.2f}", figure.value);
}

std::vector<std::string> figures_in(std::string_view text) {
  std::vector<std::string> names;
  walk(
      text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

std::vector<std::string> figures_of(const Question& question) {
  std::vector<std::string> names;
  for (const auto& [language, prompt] : question.prompt.by_language)
    for (std::string& name : figures_in(prompt)) add_once(names, std::move(name));
  for (const auto& [parameter, value] : question.parameters) add_from_value(names, value);
  const auto asked_for = question.parameters.find("name");
  if (question.predictor == kPredictMeasured && asked_for != question.parameters.end()) add_once(names, asked_for->second);
  return names;
}

std::vector<std::string> figures_lacking(const Question& question, const std::vector<Measurement>& recorded) {
  std::vector<std::string> missing;
  for (const std::string& name : figures_of(question))
    if (!latest_figure(recorded, name)) missing.push_back(name);
  return missing;
}

std::string run_it_first(const std::string& task_id, const std::string& language) {
  return language == "zh" ? fmt::format("（请先运行：judge run {}）", task_id) : fmt::format("(run it first: judge run {})", task_id);
}

std::string fill_figures(std::string_view text, const std::vector<Measurement>& recorded, const std::string& task_id,
                         const std::string& language) {
  std::string out;
  walk(
      text, [&](std::string_view between) { out += between; },
      [&](std::string_view name) {
        const auto figure = latest_figure(recorded, name);
        out += figure ? figure_text(*figure) : run_it_first(task_id, language);
      });
  return out;
}

std::string figure_fault(const Task& task, std::string_view name) {
  const std::size_t colon = name.find(": ");
  const std::string case_name(name.substr(0, std::min(colon, name.size())));
  if (colon == std::string_view::npos) return fmt::format("the figure '{}' names no case, expected 'CASE: FIGURE'", name);
  std::vector<std::string> cases;
  for (const Case& c : task.cases) cases.push_back(c.name);
  if (std::find(cases.begin(), cases.end(), case_name) == cases.end())
    return fmt::format("the figure '{}' is of an unknown case '{}', {}", name, case_name, expected_one_of(case_name, cases));
  const std::string figure(name.substr(colon + 2));
  const bool passes = figure.starts_with(kPasses) && (figure.ends_with(" read") || figure.ends_with(" written"));
  if (passes || std::find(kFigures.begin(), kFigures.end(), figure) != kFigures.end()) return {};
  return fmt::format("unknown figure '{}', {}; passes are 'passes TENSOR read' and 'passes TENSOR written'", figure,
                     expected_one_of(figure, kFigures));
}

}  // namespace warpbook::task
