#include "judge/task/measured.hpp"

#include "judge/task/predict.hpp"
#include "judge/task/questions.hpp"
#include "judge/task/task_fixture.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

const std::vector<Measurement> kRecorded{
    {"plain: passes x read", 3, "passes"}, {"plain: barriers", 1024, "barriers"}, {"plain: passes x read", 2, "passes"}};

/// The example whose choice question shows a figure, and whose predict question computes from one.
std::string manifest_with_figures() {
  std::string text =
      example_with("<prompt>What does the clamp at zero do?", "<prompt>x was read {measured:plain: passes x read} times. Why?");
  const std::size_t open = text.find("<answer "), close = text.find("</answer>") + std::string_view("</answer>").size();
  return text
      .replace(open, close - open, R"(<answer predictor="bytes-moved">
    <parameter name="rows" value="4096"/><parameter name="cols" value="1024 | 2048"/>
    <parameter name="passes" value="measured:plain: passes x read"/>
    <wrong times="0.25"><misconception>Those are elements.</misconception></wrong>
    <wrong><parameter name="passes" value="1"/><misconception>Every pass counts.</misconception></wrong></answer>)")
      .replace(text.find("[{row}]"), 7, "{cols} columns read {passes} times");
}

Task with_figures() {
  auto task = read_example(manifest_with_figures());
  INFO((task ? std::string() : task.error().text()));
  REQUIRE(task);
  return *task;
}

QuestionResult graded_with(const Task& task, const std::string& id, const std::string& answer, const std::vector<Measurement>& recorded) {
  GradeContext context;
  context.recorded = recorded;
  AnswerSheet sheet;
  sheet.answers[id] = {answer, 1};
  for (QuestionResult& result : grade_answers(task, sheet, context))
    if (result.id == id) return result;
  return {};
}

}  // namespace

TEST_CASE("figures are short: counts whole, passes and ratios with two digits, small ones with three in all") {
  CHECK(figure_text({"", 2, "passes"}) == "2.00");
  CHECK(figure_text({"", 1.9985, "passes"}) == "2.00");
  CHECK(figure_text({"", 1024, "requests"}) == "1024");
  CHECK(figure_text({"", 16777216, "bytes"}) == "16777216");
  CHECK(figure_text({"", 4.125, "sectors"}) == "4.12");
  CHECK(figure_text({"", 4, "sectors"}) == "4");
  CHECK(figure_text({"", 0.0012345, ""}) == "0.00123");
  CHECK(figure_text({"", 0, "barriers"}) == "0");
}

TEST_CASE("the latest record of a name is shown, in any kind of question") {
  const Task task = with_figures();
  CHECK(show_question(task, task.questions[2], 1, kRecorded).prompt.in("en") == "x was read 2.00 times. Why?");
  CHECK(show_question(task, task.questions[2], 1).prompt.in("en") == "x was read (run it first: judge run 05-layernorm) times. Why?");
  const std::string computed = show_question(task, task.questions[1], 1, kRecorded).prompt.in("en");
  CHECK(computed.find("columns read 2.00 times") != std::string::npos);
  CHECK(show_question(task, task.questions[1], 1).prompt.in("en").find("columns read (run it first:") != std::string::npos);
}

TEST_CASE("a question without its figure earns nothing and says what to run; with it, the reference answers earn all") {
  const Task task = with_figures();
  for (const char* id : {"clamp", "predict"}) {
    const QuestionResult result = graded_with(task, id, "a", {});
    CHECK(result.points == 0);
    CHECK(result.feedback == "No run on record measured 'plain: passes x read' yet. Run it first: judge run 05-layernorm");
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GradeContext context;
    context.seed = seed;
    context.recorded = kRecorded;
    for (const QuestionResult& result : grade_answers(task, reference_answers(task, seed, kRecorded), context)) {
      INFO(result.id << ": " << result.feedback);
      CHECK(result.correct);
    }
  }
}

TEST_CASE("an answer is computed from the figure as it is shown") {
  const Task task = with_figures();
  const auto variant = predict(task.id, task.questions[1], 1, {{"plain: passes x read", 1.9961, "passes"}});
  REQUIRE(variant);
  CHECK(variant->parameters.at("passes") == "2.00");
  CHECK(variant->expected == 4096 * std::stod(variant->parameters.at("cols")) * 4 * 2);
  const auto without = predict(task.id, task.questions[1], 1, {});
  CHECK_FALSE(without->expected);
  CHECK(without->missing == std::vector<std::string>{"plain: passes x read"});
}

TEST_CASE("a wrong number says which belief it comes from") {
  const Task task = with_figures();
  const double right = *predict(task.id, task.questions[1], 0, kRecorded)->expected;
  CHECK(graded_with(task, "predict", fmt::format("{}", right), kRecorded).correct);
  CHECK(graded_with(task, "predict", fmt::format("{}", right / 4), kRecorded).misconception == "Those are elements.");
  CHECK(graded_with(task, "predict", fmt::format("{}", right / 2), kRecorded).misconception == "Every pass counts.");
  CHECK(graded_with(task, "predict", "17", kRecorded).misconception.empty());
}

TEST_CASE("figures that no run records are refused where they stand") {
  const auto complaint = [](const std::string& figure) {
    const auto task = read_example(example_with("<prompt>What does the clamp at zero do?", "<prompt>{measured:" + figure + "}"));
    REQUIRE_FALSE(task);
    CHECK(task.error().where.line > 0);
    return task.error().what;
  };
  CHECK(complaint("barriers").find("the figure 'barriers' names no case, expected 'CASE: FIGURE'") == 0);
  CHECK(complaint("plane: barriers").find("is of an unknown case 'plane', expected one of plain,") != std::string::npos);
  CHECK(complaint("plain: barier").find("unknown figure 'barier'") == 0);
  CHECK(complaint("plain: passes x").find("unknown figure 'passes x'") == 0);
}

TEST_CASE("a sheet on disk gets figures that were measured since, and keeps every word of the learner") {
  const Task task = with_figures();
  std::string sheet = new_answer_sheet(task, {7, "en", {}});
  REQUIRE(sheet.find("run it first") != std::string::npos);
  const std::string quote = "> Answer: one letter.\n";
  sheet.insert(sheet.find(quote, sheet.find("## clamp")) + quote.size(), "\n<!-- my note -->\nb, because\n\n> I quote myself\n");
  const std::string fresh = with_fresh_questions(sheet, task, {7, "en", kRecorded});
  CHECK(fresh.find("run it first") == std::string::npos);
  CHECK(fresh.find("> x was read 2.00 times. Why?") != std::string::npos);
  CHECK(fresh.find("\n<!-- my note -->\nb, because\n\n> I quote myself\n") != std::string::npos);
  CHECK(with_fresh_questions(fresh, task, {7, "en", kRecorded}) == fresh);
  CHECK(with_fresh_questions(fresh, task, {7, "en", {}}) == sheet);
  CHECK(read_answers(fresh, "answers.md", task)->answers.at("clamp").text == "b, because");
}
