#include "judge/task/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "judge/task/manifest_parts.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

constexpr int kHighestLevel = 9;
constexpr int kMostLinesOfBlank = 500;
// Out of ten points: a lesson has four for code and six for questions, an open problem has all ten for code.
constexpr double kLessonCodePoints = 4, kLessonQuestionPoints = 6, kProblemPoints = 10;
constexpr double kPointsSlack = 1e-9;

bool is_identifier(std::string_view text) {
  const auto good = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) && std::all_of(text.begin(), text.end(), good);
}

bool same_points(double a, double b) { return std::fabs(a - b) <= kPointsSlack; }

Shape root_shape(TaskKind kind) {
  Shape shape{{"id", "level", "operator", "launch"}, {"parameters", "bound"}, {{"title", Count::kSome}, {"requires", Count::kAny}}};
  shape.children.push_back({"points", Count::kOptional});
  shape.children.push_back({"cases", Count::kOne});
  if (kind == TaskKind::kExercise) {
    shape.children.push_back({"efficiency", Count::kOne});
    return shape;
  }
  shape.children.push_back({"efficiency", Count::kOptional});
  shape.children.push_back({"blank", Count::kSome});
  for (const char* name : {"hints", "questions"}) shape.children.push_back({name, Count::kOne});
  return shape;
}

/// Names a launch function may have as parameters.
std::vector<std::string> parameter_names(const operators::Operator& op) {
  std::vector<std::string> names;
  for (const auto& tensor : op.tensors()) names.push_back(tensor.name);
  for (const auto& scalar : op.scalars()) names.push_back(scalar.name);
  for (const auto& tensor : op.tensors()) names.push_back(tensor.name + "_stride");
  for (const char* name : {"rows", "cols"}) names.emplace_back(name);
  std::set<std::string> seen;
  names.erase(std::remove_if(names.begin(), names.end(), [&](const auto& name) { return !seen.insert(name).second; }), names.end());
  return names;
}

std::vector<std::string> read_parameters(const ManifestContext& context, const XmlElement& root) {
  if (root.attribute("parameters") == nullptr) return context.op.default_parameters();
  const auto names = words_of(context.reader.string(root, "parameters"));
  const auto known = parameter_names(context.op);
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      context.reader.fail(root, "parameters", fmt::format("unknown parameter '{}', {}", name, expected_one_of(name, known)));
    if (!seen.insert(name).second) context.reader.fail(root, "parameters", fmt::format("parameter '{}' is named twice", name));
  }
  return names;
}

std::vector<std::string> read_requires(XmlReader& reader, const XmlElement& root) {
  std::vector<std::string> ids;
  for (const XmlElement* element : root.all("requires")) {
    reader.shape(*element, {{}, {}, {}, true});
    const std::string id = reader.own_text(*element);
    if (words_of(id).size() != 1) reader.fail(*element, fmt::format("<requires> names one task, not '{}'", id));
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) reader.fail(*element, fmt::format("'{}' is required twice", id));
    ids.push_back(id);
  }
  return ids;
}

std::vector<Blank> read_blanks(XmlReader& reader, const XmlElement& root) {
  std::vector<Blank> blanks;
  for (const XmlElement* element : root.all("blank")) {
    reader.shape(*element, {{"name", "scope", "lines"}});
    Blank blank;
    blank.name = reader.name(*element, "name");
    blank.scope = reader.one_of(*element, "scope", {"device", "host"}, 0) == 0 ? BlankScope::kDevice : BlankScope::kHost;
    blank.lines = static_cast<int>(reader.integer(*element, "lines", 1, kMostLinesOfBlank, 1));
    for (const Blank& other : blanks)
      if (other.name == blank.name) reader.fail(*element, "name", fmt::format("blank '{}' is declared twice", blank.name));
    blanks.push_back(std::move(blank));
  }
  return blanks;
}

Points read_points(XmlReader& reader, const XmlElement& root, TaskKind kind) {
  const bool lesson = kind == TaskKind::kLesson;
  Points points = lesson ? Points{2, 1, 1, 0} : Points{4, 4, 0, 2};
  const XmlElement* element = root.first("points");
  if (element == nullptr) return points;
  reader.shape(*element, lesson ? Shape{{"normal", "boundary", "explain"}} : Shape{{"normal", "boundary", "efficiency"}});
  points.normal = reader.finite(*element, "normal", points.normal);
  points.boundary = reader.finite(*element, "boundary", points.boundary);
  points.explain = reader.finite(*element, "explain", points.explain);
  points.efficiency = reader.finite(*element, "efficiency", points.efficiency);
  for (const double value : {points.normal, points.boundary, points.explain, points.efficiency})
    if (value < 0) reader.fail(*element, "points are negative, expected 0 or more");
  const double sum = points.normal + points.boundary + points.explain + points.efficiency;
  const double expected = lesson ? kLessonCodePoints : kProblemPoints;
  if (!same_points(sum, expected)) reader.fail(*element, fmt::format("the points of the code add up to {}, expected {}", sum, expected));
  return points;
}

void check_question_points(XmlReader& reader, const XmlElement& root, const Task& task) {
  double sum = 0;
  for (const Question& question : task.questions) sum += question.points;
  if (same_points(sum, kLessonQuestionPoints)) return;
  reader.fail(*root.first("questions"), fmt::format("the points of the questions add up to {}, expected {}", sum, kLessonQuestionPoints));
}

/// Everything below the root, once it is known to have the right elements.
void read_parts(const ManifestContext& context, const XmlElement& root, Task& task) {
  XmlReader& reader = context.reader;
  task.level = static_cast<int>(reader.integer(root, "level", 1, kHighestLevel, 1));
  task.launch = reader.string(root, "launch");
  if (!is_identifier(task.launch)) reader.fail(root, "launch", fmt::format("'{}' is not the name of a C++ function", task.launch));
  task.parameters = read_parameters(context, root);
  task.bound = read_bound(context, root);
  task.title = reader.texts(root, "title");
  task.requires_ids = read_requires(reader, root);
  task.blanks = read_blanks(reader, root);
  task.points = read_points(reader, root, task.kind);
  task.cases = read_cases(context, *root.first("cases"));
  if (const XmlElement* efficiency = root.first("efficiency")) {
    task.passes = read_passes(context, *efficiency);
    task.blocks = read_block_limits(context, *efficiency, task.cases);
  }
  if (task.kind == TaskKind::kExercise) return;
  read_hints(reader, *root.first("hints"), task);
  const XmlElement& questions = *root.first("questions");
  task.questions = read_questions(reader, task, questions);
  if (!reader.ok()) return;
  task.explanation = read_explanation(reader, task, *questions.first("explanation"));
  check_question_points(reader, root, task);
}

}  // namespace

std::string read_bound(const ManifestContext& context, const XmlElement& element) {
  const auto names = context.op.bounds();
  if (element.attribute("bound") == nullptr || names.empty()) return "";
  return names[context.reader.one_of(element, "bound", names, 0)];
}

Result<Task> read_manifest(std::string_view text, const std::string& file, const std::string& folder_name,
                           const OperatorLookup& operators) {
  auto root = parse_xml(text, file);
  if (!root) return std::move(root).error();
  XmlReader reader(file, text);
  Task task;
  if (root->name != "lesson" && root->name != "exercise") {
    reader.fail(*root, fmt::format("unknown root element <{}>, {}", root->name, expected_one_of(root->name, {"lesson", "exercise"})));
    return reader.error();
  }
  task.kind = root->name == "lesson" ? TaskKind::kLesson : TaskKind::kExercise;
  if (!reader.shape(*root, root_shape(task.kind))) return reader.error();
  task.id = reader.name(*root, "id");
  if (task.id != folder_name) reader.fail(*root, "id", fmt::format("id is '{}', expected the folder's name '{}'", task.id, folder_name));
  task.operator_name = reader.string(*root, "operator");
  const operators::Operator* op = operators.find(task.operator_name);
  if (op == nullptr)
    reader.fail(*root, "operator",
                fmt::format("unknown operator '{}', {}", task.operator_name, expected_one_of(task.operator_name, operators.names())));
  if (!reader.ok()) return reader.error();
  read_parts({reader, *op}, *root, task);
  if (!reader.ok()) return reader.error();
  return task;
}

}  // namespace warpbook::task
