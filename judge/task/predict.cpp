#include "judge/task/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "judge/base/text.hpp"
#include "judge/task/measured.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/variant_seed.hpp"

namespace warpbook::task {
namespace {

std::vector<std::string> alternatives_of(std::string_view value) {
  std::vector<std::string> alternatives;
  while (true) {
    const std::size_t bar = value.find('|');
    alternatives.emplace_back(trimmed(value.substr(0, bar)));
    if (bar == std::string_view::npos) return alternatives;
    value.remove_prefix(bar + 1);
  }
}

/// One alternative of a parameter's value; LOW..HIGH stands for every whole number between.
Result<std::string> pick(const std::string& name, std::string_view value, VariantSeed& seed) {
  const auto alternatives = alternatives_of(value);
  const std::string& chosen = alternatives[seed.below(alternatives.size())];
  for (const std::string& alternative : alternatives)
    if (alternative.empty()) return Error{fmt::format("parameter '{}' has an empty alternative", name)};
  const std::size_t dots = chosen.find("..");
  if (dots == std::string::npos) return chosen;
  const auto low = parse_integer(trimmed(std::string_view(chosen).substr(0, dots)));
  const auto high = parse_integer(trimmed(std::string_view(chosen).substr(dots + 2)));
  constexpr std::int64_t kWidest = std::int64_t{1} << 40;
  if (!low || !high || *low > *high || *low < -kWidest || *high > kWidest)
    return Error{fmt::format("parameter '{}' is '{}', expected LOW..HIGH of whole numbers", name, chosen)};
  return fmt::format("{}", *low + static_cast<std::int64_t>(seed.below(static_cast<std::uint64_t>(*high - *low) + 1)));
}

bool is_number_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_'; }

/// Digits grouped by commas ("1,024") lose them; other commas become spaces.
std::string without_grouping(std::string_view answer) {
  std::string out;
  const auto is_digit = [&](std::size_t at) { return at < answer.size() && std::isdigit(static_cast<unsigned char>(answer[at])); };
  for (std::size_t at = 0; at < answer.size(); ++at) {
    const bool groups =
        answer[at] == ',' && at > 0 && is_digit(at - 1) && is_digit(at + 1) && is_digit(at + 2) && is_digit(at + 3) && !is_digit(at + 4);
    if (!groups) out += answer[at] == ',' ? ' ' : answer[at];
  }
  return out;
}

/// Typographic signs and words as their plain forms.
std::string plain(std::string answer) {
  static const std::vector<std::pair<std::string, std::string>> kForms{
      {"\u2212", "-"}, {"\u221E", "inf"}, {"infinity", "inf"}, {"\u65E0\u7A77\u5927", "inf"}, {"\uFF0C", " "}};
  std::transform(answer.begin(), answer.end(), answer.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [form, replacement] : kForms) {
    for (std::size_t at = answer.find(form); at != std::string::npos; at = answer.find(form, at + replacement.size()))
      answer.replace(at, form.size(), replacement);
  }
  return answer;
}

}  // namespace

Result<Variant> predict(const std::string& task_id, const Question& question, std::uint64_t seed,
                        const std::vector<Measurement>& recorded) {
  const Predictor* predictor = find_predictor(question.predictor);
  if (predictor == nullptr) return Error{fmt::format("unknown predictor '{}'", question.predictor)};
  for (const ParameterRule& rule : predictor->parameters)
    if (rule.required && question.parameters.count(rule.name) == 0)
      return Error{fmt::format("predictor '{}' lacks its parameter '{}'", predictor->name, rule.name)};
  VariantSeed stream(task_id, question.id, seed);
  Variant variant;
  for (const auto& [name, value] : question.parameters) {
    auto chosen = pick(name, value, stream);
    if (!chosen) return std::move(chosen).error();
    if (!chosen->starts_with(kMeasuredPrefix)) {
      variant.parameters[name] = *chosen;
      continue;
    }
    const std::string figure(trimmed(std::string_view(*chosen).substr(kMeasuredPrefix.size())));
    const auto record = latest_figure(recorded, figure);
    // As shown, not as recorded: the learner works with the digits of the question.
    variant.parameters[name] = record ? figure_text(*record) : "";
    if (!record) variant.missing.push_back(figure);
  }
  if (question.predictor == kPredictByValue) {
    variant.expected = question.expected;
    return variant;
  }
  if (question.predictor == kPredictMeasured) {
    if (const auto record = latest_figure(recorded, variant.parameters["name"])) variant.expected = record->value;
    if (!variant.expected) variant.missing.push_back(variant.parameters["name"]);
    return variant;
  }
  if (!variant.missing.empty()) return variant;
  const auto computed = predictor->compute(variant.parameters);
  if (!computed) return computed.error();
  variant.expected = *computed;
  return variant;
}

Result<std::optional<double>> wrong_prediction(const WrongPrediction& wrong, const Variant& variant) {
  if (wrong.predictor == kPredictByValue) return std::optional<double>(wrong.number);
  if (!variant.expected) return std::optional<double>();
  if (wrong.predictor == kPredictByFactor) return std::optional<double>(wrong.number * *variant.expected);
  const Predictor* predictor = find_predictor(wrong.predictor);
  if (predictor == nullptr) return Error{fmt::format("unknown predictor '{}'", wrong.predictor)};
  Parameters parameters;
  for (const ParameterRule& rule : predictor->parameters) {
    const auto own = wrong.parameters.find(rule.name);
    const auto shared = variant.parameters.find(rule.name);
    if (own == wrong.parameters.end() && shared == variant.parameters.end()) {
      if (rule.required) return Error{fmt::format("predictor '{}' lacks its parameter '{}'", predictor->name, rule.name)};
      continue;
    }
    if (own == wrong.parameters.end()) {
      parameters[rule.name] = shared->second;
      continue;
    }
    auto filled = fill_in(own->second, variant.parameters);
    if (!filled) return Error{fmt::format("parameter '{}' is '{}', and the answer has no parameter of that name", rule.name, own->second)};
    parameters[rule.name] = std::move(*filled);
  }
  const auto computed = predictor->compute(parameters);
  if (!computed) return computed.error();
  return std::optional<double>(*computed);
}

Result<std::string> fill_in(const std::string& prompt, const Parameters& parameters) {
  std::string out;
  std::size_t at = 0;
  while (at < prompt.size()) {
    const std::size_t open = prompt.find('{', at);
    out += prompt.substr(at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = prompt.find('}', open);
    const std::string name = close == std::string::npos ? "" : prompt.substr(open + 1, close - open - 1);
    const bool is_name =
        !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) || c == '-'; });
    if (!is_name) {
      out += '{';
      at = open + 1;
      continue;
    }
    const auto parameter = parameters.find(name);
    if (parameter == parameters.end()) return Error{fmt::format("the prompt shows {{{}}}, but there is no parameter of that name", name)};
    out += parameter->second;
    at = close + 1;
  }
  return out;
}

std::optional<double> number_in(std::string_view answer) {
  const std::string text = plain(without_grouping(answer));
  std::optional<double> found;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_number_byte(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (is_number_byte(text[end]) ||
                                 ((text[end] == '-' || text[end] == '+') && (text[end - 1] == 'e' || text[end - 1] == 'p') && end > at)))
      ++end;
    std::string_view word = std::string_view(text).substr(at, end - at);
    while (!word.empty() && word.back() == '.') word.remove_suffix(1);
    // A sign belongs to the number unless something stands directly before it ("a-1").
    const bool is_negative = at > 0 && text[at - 1] == '-' && (at == 1 || !is_number_byte(text[at - 2]));
    at = end;
    auto value = parse_number(word);
    if (!value) continue;
    if (is_negative) value = -*value;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

bool predicted(const Question& question, double expected, double answer) {
  if (std::isnan(expected)) return std::isnan(answer);
  if (std::isinf(expected) || std::isinf(answer)) return expected == answer;
  const double allowed = question.relative ? question.tolerance * std::fabs(expected) : question.tolerance;
  return std::fabs(answer - expected) <= allowed;
}

}  // namespace warpbook::task
