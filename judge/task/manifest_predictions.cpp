// <answer> of a predict question: how the right number is computed, and the numbers by which a misconception shows itself. Every variant
// that a learner may meet is tried while the manifest is read.
#include <fmt/format.h>

#include <algorithm>

#include "judge/task/manifest_parts.hpp"
#include "judge/task/measured.hpp"
#include "judge/task/predict.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

/// A predictor is tried with this many seeds.
constexpr std::uint64_t kTriedSeeds = 32;

/// The <parameter> children of <answer> or <wrong>, each one that the predictor knows.
std::map<std::string, std::string> read_parameters(XmlReader& reader, const XmlElement& element, const std::string& predictor) {
  std::vector<std::string> known;
  if (const Predictor* found = find_predictor(predictor))
    for (const ParameterRule& rule : found->parameters) known.push_back(rule.name);
  std::map<std::string, std::string> parameters;
  for (const XmlElement* child : element.all("parameter")) {
    reader.shape(*child, {{"name", "value"}});
    const std::string name = reader.string(*child, "name");
    if (std::find(known.begin(), known.end(), name) == known.end())
      reader.fail(*child, "name",
                  fmt::format("unknown parameter '{}' of predictor '{}', {}", name, predictor, expected_one_of(name, known)));
    if (!parameters.emplace(name, reader.string(*child, "value")).second)
      reader.fail(*child, "name", fmt::format("parameter '{}' is given twice", name));
  }
  return parameters;
}

std::vector<std::string> predictor_names() {
  std::vector<std::string> names;
  for (const Predictor& predictor : predictors()) names.push_back(predictor.name);
  return names;
}

/// <wrong value|times|predictor> inside <answer>; with neither, the answer's own predictor with other parameters.
void read_wrong_predictions(XmlReader& reader, const XmlElement& answer, Question& question) {
  for (const XmlElement* child : answer.all("wrong")) {
    reader.shape(*child, {{}, {"value", "times", "predictor"}, {{"parameter", Count::kAny}, {"misconception", Count::kSome}}});
    const std::size_t ways = child->attributes.size();
    if (ways > 1 || (ways == 0 && child->all("parameter").empty()))
      reader.fail(*child, "<wrong> needs value, times, predictor, or parameters of its own for the answer's predictor");
    WrongPrediction wrong;
    wrong.predictor = question.predictor;
    for (const std::string_view way : {kPredictByValue, kPredictByFactor}) {
      if (child->attribute(way) == nullptr) continue;
      wrong.predictor = way;
      wrong.number = reader.number(*child, way, 0);
    }
    const auto names = predictor_names();
    if (child->attribute("predictor") != nullptr) wrong.predictor = names[reader.one_of(*child, "predictor", names, 0)];
    wrong.parameters = read_parameters(reader, *child, wrong.predictor);
    wrong.misconception = reader.texts(*child, "misconception");
    question.wrong.push_back(std::move(wrong));
  }
}

/// Figures that exist nowhere yet, so that what is computed from them can be tried.
std::vector<Measurement> made_up_figures(const Question& question) {
  constexpr double kLikely = 2;
  std::vector<Measurement> figures;
  for (const std::string& name : figures_of(question)) figures.push_back({name, kLikely, ""});
  return figures;
}

/// No learner may meet a variant that does not work, nor a belief that is wrong under no seed.
void try_variants(XmlReader& reader, const Task& task, const XmlElement& element, const Question& question) {
  const XmlElement& answer = *element.first("answer");
  const std::vector<Measurement> figures = made_up_figures(question);
  std::vector<bool> ever_wrong(question.wrong.size(), false);
  for (std::uint64_t seed = 0; seed < kTriedSeeds; ++seed) {
    const auto variant = predict(task.id, question, seed, figures);
    if (!variant) return reader.fail(answer, variant.error().what);
    for (const auto& [language, prompt] : question.prompt.by_language)
      if (const auto filled = fill_in(prompt, variant->parameters); !filled)
        return reader.fail(*element.first("prompt"), filled.error().what);
    for (std::size_t i = 0; i < question.wrong.size(); ++i) {
      const auto believed = wrong_prediction(question.wrong[i], *variant);
      if (!believed) return reader.fail(*answer.all("wrong")[i], believed.error().what);
      if (*believed && variant->expected && !predicted(question, *variant->expected, **believed)) ever_wrong[i] = true;
    }
  }
  for (std::size_t i = 0; i < ever_wrong.size(); ++i)
    if (!ever_wrong[i]) reader.fail(*answer.all("wrong")[i], "this wrong answer is right under every seed that was tried");
}

}  // namespace

void check_figures(XmlReader& reader, const Task& task, const XmlElement& element, const Question& question) {
  for (const std::string& name : figures_of(question))
    if (const std::string fault = figure_fault(task, name); !fault.empty()) return reader.fail(element, fault);
}

void read_prediction(XmlReader& reader, const Task& task, const XmlElement& element, Question& question) {
  const XmlElement& answer = *element.first("answer");
  reader.shape(answer, {{}, {"value", "predictor", "tolerance", "relative"}, {{"parameter", Count::kAny}, {"wrong", Count::kAny}}});
  const auto names = predictor_names();
  const bool by_value = answer.attribute("value") != nullptr;
  if (by_value == (answer.attribute("predictor") != nullptr)) reader.fail(answer, "<answer> needs either value or predictor");
  question.predictor = by_value ? std::string(kPredictByValue) : names[reader.one_of(answer, "predictor", names, 0)];
  question.expected = reader.number(answer, "value", 0);
  question.tolerance = reader.finite(answer, "tolerance", 0);
  question.relative = reader.flag(answer, "relative", false);
  if (question.tolerance < 0) reader.fail(answer, "tolerance", "tolerance is negative");
  question.parameters = read_parameters(reader, answer, question.predictor);
  read_wrong_predictions(reader, answer, question);
  question.reference = reader.texts(element, "reference");
  if (!reader.ok()) return;
  check_figures(reader, task, element, question);
  try_variants(reader, task, element, question);
  for (const XmlElement* reference : element.all("reference")) {
    if (!by_value) return reader.fail(*reference, "a computed answer has no <reference>, the judge computes it");
    const auto number = number_in(reader.own_text(*reference));
    if (!number || !predicted(question, question.expected, *number))
      reader.fail(*reference, fmt::format("the reference is not the answer {}", question.expected));
  }
}

}  // namespace warpbook::task
