#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "judge/base/text.hpp"
#include "judge/task/manifest_parts.hpp"
#include "judge/task/rubric.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

constexpr double kMostPoints = 10;
constexpr double kPointsSlack = 1e-9;
/// Letters a to z name steps and options.
constexpr std::size_t kMostChoices = 26;
const std::vector<std::string> kKinds{"order", "predict", "choice", "text"};

/// Plain English text, or one <text> per language.
Text read_body(XmlReader& reader, const XmlElement& element) {
  if (element.all("text").empty()) return Text{{{"en", reader.own_text(element)}}};
  if (!trimmed(element.text).empty())
    reader.fail(element, fmt::format("<{}> holds both plain text and <text>, expected one of them", element.name));
  return reader.texts(element, "text");
}

template <class Item>
void refuse_same_id(XmlReader& reader, const XmlElement& element, const std::vector<Item>& items, const std::string& id) {
  const bool taken = std::any_of(items.begin(), items.end(), [&](const Item& item) { return item.id == id; });
  if (taken) reader.fail(element, "id", fmt::format("id '{}' is used twice", id));
}

void read_steps(XmlReader& reader, const XmlElement& element, Question& question) {
  std::set<int> positions;
  for (const XmlElement* child : element.all("step")) {
    reader.shape(*child, {{"id"}, {"position"}, {{"text", Count::kAny}, {"misconception", Count::kAny}}, true});
    OrderStep step;
    step.id = reader.name(*child, "id");
    step.position = static_cast<int>(reader.integer(*child, "position", 0, kMostChoices, 0));
    step.text = read_body(reader, *child);
    step.misconception = reader.texts(*child, "misconception");
    if (step.position > 0 && !step.misconception.by_language.empty())
      reader.fail(*child, fmt::format("step '{}' belongs into the order, it has no misconception", step.id));
    refuse_same_id(reader, *child, question.steps, step.id);
    if (step.position > 0 && !positions.insert(step.position).second)
      reader.fail(*child, "position", fmt::format("position {} is given twice", step.position));
    question.steps.push_back(std::move(step));
  }
  constexpr std::size_t kFewest = 2;
  if (positions.size() < kFewest) reader.fail(element, "an order question needs two steps with a position");
  if (!positions.empty() && *positions.rbegin() != static_cast<int>(positions.size()))
    reader.fail(element, fmt::format("positions leave a gap, expected 1 to {} each once", positions.size()));
  if (question.steps.size() > kMostChoices) reader.fail(element, fmt::format("more than {} steps", kMostChoices));
}

void read_options(XmlReader& reader, const XmlElement& element, Question& question) {
  for (const XmlElement* child : element.all("option")) {
    reader.shape(*child, {{"id"}, {"right", "veto"}, {{"text", Count::kAny}, {"misconception", Count::kAny}}, true});
    Option option;
    option.id = reader.name(*child, "id");
    option.right = reader.flag(*child, "right", false);
    option.veto = reader.flag(*child, "veto", false);
    option.text = read_body(reader, *child);
    option.misconception = reader.texts(*child, "misconception");
    refuse_same_id(reader, *child, question.options, option.id);
    const bool explained = !option.misconception.by_language.empty();
    if (option.right && (explained || option.veto))
      reader.fail(*child, fmt::format("option '{}' is right, it has no misconception and no veto", option.id));
    if (!option.right && !explained) reader.fail(*child, fmt::format("option '{}' is wrong and lacks its <misconception>", option.id));
    question.options.push_back(std::move(option));
  }
  const auto rights = std::count_if(question.options.begin(), question.options.end(), [](const Option& option) { return option.right; });
  if (rights == 0) reader.fail(element, "no option is right, expected right=\"true\" on one");
  if (rights == static_cast<std::ptrdiff_t>(question.options.size())) reader.fail(element, "no option is wrong");
  if (question.options.size() > kMostChoices) reader.fail(element, fmt::format("more than {} options", kMostChoices));
}

/// The wordings of one side of a link, each a regular expression that compiles.
std::vector<std::string> read_wordings(XmlReader& reader, const XmlElement& link, std::string_view side) {
  std::vector<std::string> wordings;
  for (const XmlElement* child : link.all(side)) {
    reader.shape(*child, {{}, {}, {}, true});
    wordings.push_back(reader.own_text(*child));
    if (const std::string fault = wording_fault(wordings.back()); !fault.empty())
      reader.fail(*child, fmt::format("'{}' is not a regular expression: {}", wordings.back(), fault));
  }
  return wordings;
}

void read_rubric(XmlReader& reader, const XmlElement& element, Question& question) {
  double sum = 0;
  for (const XmlElement* child : element.all("link")) {
    // The boundary link of an explanation knows causes of its own: the tags of the cases.
    const bool has_causes = question.id == kExplanationId && reader.string(*child, "name") == kBoundaryLink;
    reader.shape(*child, {{"name", "points"}, {}, {{"cause", has_causes ? Count::kAny : Count::kSome}, {"effect", Count::kSome}}});
    RubricLink link;
    link.name = reader.name(*child, "name");
    link.points = reader.finite(*child, "points", 0);
    link.cause = read_wordings(reader, *child, "cause");
    link.effect = read_wordings(reader, *child, "effect");
    if (link.points < 0) reader.fail(*child, "points", "points are negative");
    for (const RubricLink& other : question.links)
      if (other.name == link.name) reader.fail(*child, "name", fmt::format("link '{}' is given twice", link.name));
    sum += link.points;
    question.links.push_back(std::move(link));
  }
  if (std::fabs(sum - question.points) > kPointsSlack)
    reader.fail(element, fmt::format("the points of the links add up to {}, expected {}", sum, question.points));
  question.reference = reader.texts(element, "reference");
}

/// Full points for the reference is a promise of the format: `--solution` answers with it.
void check_reference(XmlReader& reader, const Task& task, const XmlElement& element, const Question& question) {
  if (!reader.ok()) return;
  for (const XmlElement* reference : element.all("reference")) {
    const auto marks = mark_rubric(task, question, reader.own_text(*reference));
    for (const LinkMark& mark : marks)
      if (!mark.earned) return reader.fail(*reference, fmt::format("the reference answer does not earn the link '{}'", mark.name));
  }
}

Question read_question(XmlReader& reader, const Task& task, const XmlElement& element) {
  Question question;
  const std::size_t kind = reader.one_of(element, "kind", kKinds, 0);
  question.kind = static_cast<QuestionKind>(kind);
  Shape shape{{"id", "kind"}, {"points"}, {{"prompt", Count::kSome}, {"because", Count::kAny}}};
  switch (question.kind) {
    case QuestionKind::kOrder: shape.children.push_back({"step", Count::kSome}); break;
    case QuestionKind::kChoice: shape.children.push_back({"option", Count::kSome}); break;
    case QuestionKind::kPredict:
      shape.children.push_back({"answer", Count::kOne});
      shape.children.push_back({"reference", Count::kAny});
      break;
    case QuestionKind::kText:
      shape.children.push_back({"link", Count::kSome});
      shape.children.push_back({"reference", Count::kSome});
      break;
  }
  if (!reader.shape(element, shape)) return question;
  question.id = reader.name(element, "id");
  if (question.id == kExplanationId) reader.fail(element, "id", fmt::format("'{}' is the id of <explanation>", kExplanationId));
  question.points = reader.finite(element, "points", question.points);
  if (question.points < 0 || question.points > kMostPoints)
    reader.fail(element, "points", fmt::format("points are not between 0 and {}", kMostPoints));
  question.prompt = reader.texts(element, "prompt");
  question.because = reader.texts(element, "because");
  if (reader.ok()) check_figures(reader, task, element, question);
  switch (question.kind) {
    case QuestionKind::kOrder: read_steps(reader, element, question); break;
    case QuestionKind::kChoice: read_options(reader, element, question); break;
    case QuestionKind::kPredict: read_prediction(reader, task, element, question); break;
    case QuestionKind::kText:
      read_rubric(reader, element, question);
      check_reference(reader, task, element, question);
      break;
  }
  return question;
}

}  // namespace

std::vector<Question> read_questions(XmlReader& reader, const Task& task, const XmlElement& questions) {
  std::vector<Question> result;
  reader.shape(questions, {{}, {}, {{"question", Count::kSome}, {"explanation", Count::kOne}}});
  for (const XmlElement* element : questions.all("question")) {
    if (!reader.ok()) return result;
    Question question = read_question(reader, task, *element);
    refuse_same_id(reader, *element, result, question.id);
    result.push_back(std::move(question));
  }
  return result;
}

Question read_explanation(XmlReader& reader, const Task& task, const XmlElement& explanation) {
  Question question;
  question.id = kExplanationId;
  question.kind = QuestionKind::kText;
  question.points = task.points.explain;
  const Shape shape{{}, {}, {{"prompt", Count::kSome}, {"because", Count::kAny}, {"link", Count::kSome}, {"reference", Count::kSome}}};
  if (!reader.shape(explanation, shape)) return question;
  question.prompt = reader.texts(explanation, "prompt");
  question.because = reader.texts(explanation, "because");
  read_rubric(reader, explanation, question);
  for (const std::string_view needed : {kBoundaryLink, kTradeOffLink}) {
    const bool there =
        std::any_of(question.links.begin(), question.links.end(), [&](const RubricLink& link) { return link.name == needed; });
    if (!there) reader.fail(explanation, fmt::format("<explanation> lacks a link named '{}'", needed));
  }
  check_reference(reader, task, explanation, question);
  return question;
}

}  // namespace warpbook::task
