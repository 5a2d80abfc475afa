#include "judge/task/questions.hpp"

#include <set>

#include "judge/task/rubric.hpp"
#include "judge/task/task_fixture.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

/// The result of one question when it alone is answered.
QuestionResult graded(const Task& task, const std::string& id, const std::string& answer, GradeContext context = {}) {
  AnswerSheet sheet;
  sheet.answers[id] = {answer, 7};
  for (QuestionResult& result : grade_answers(task, sheet, context))
    if (result.id == id) return result;
  FAIL("no result for " << id);
  return {};
}

std::string letters(const Task& task, const Question& question, const std::vector<std::string>& ids, std::uint64_t seed = 0) {
  std::string out;
  for (const std::string& id : ids)
    for (const ShownChoice& choice : show_question(task, question, seed).choices)
      if (choice.id == id) out += choice.letter;
  return out;
}

}  // namespace

TEST_CASE("reference answers earn every point under every seed") {
  const Task task = example_task();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    GradeContext context;
    context.seed = seed;
    double sum = 0;
    for (const QuestionResult& result : grade_answers(task, reference_answers(task, seed), context)) {
      INFO(result.id << ": " << result.feedback);
      CHECK(result.correct);
      CHECK_FALSE(result.veto);
      sum += result.points;
    }
    CHECK(sum == Approx(7));
  }
}

TEST_CASE("order: all, half for one step out of place, nothing for more") {
  const Task task = example_task();
  const Question& q = task.questions[0];
  const auto points = [&](const std::vector<std::string>& ids) { return graded(task, "order", letters(task, q, ids)).points; };
  CHECK(points({"squares", "cancel", "root", "spread"}) == 2);
  CHECK(points({"cancel", "squares", "root", "spread"}) == 1);
  CHECK(points({"spread", "squares", "cancel", "root"}) == 1);
  CHECK(points({"spread", "root", "cancel", "squares"}) == 0);
  CHECK(points({"cancel", "squares", "spread", "root"}) == 0);
  CHECK(points({"squares", "cancel", "root"}) == 0);
  CHECK(points({"squares", "cancel", "root", "spread", "eps"}) == 0);
  CHECK(graded(task, "order", letters(task, q, {"squares", "eps", "cancel", "root", "spread"}))
            .feedback.find("1 of the steps do not belong.") == 0);
  CHECK(graded(task, "order", "a a b c").feedback.find("the letter 'a' stands twice") == 0);
  CHECK(graded(task, "order", "z").feedback.find("'z' is none of the letters shown") == 0);
  CHECK(graded(task, "order", "42").feedback.find("no letter in the answer") == 0);
}

TEST_CASE("order: the answer may be written in many ways, and is never shown solved") {
  const Task task = example_task();
  const std::string right = letters(task, task.questions[0], {"squares", "cancel", "root", "spread"});
  std::string spaced, arrows, listed;
  for (const char letter : right) {
    spaced += fmt::format("{} ", static_cast<char>(std::toupper(letter)));
    arrows += fmt::format("{}{}", arrows.empty() ? "" : " -> ", letter);
    listed += fmt::format("1. {}\n", letter);
  }
  for (const std::string& answer : {right, spaced, arrows, listed, "Answer: " + right}) CHECK(graded(task, "order", answer).correct);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::string shown;
    for (const ShownChoice& choice : show_question(task, task.questions[0], seed).choices) shown += choice.id + " ";
    CHECK(shown.find("squares cancel root spread ") == std::string::npos);
  }
}

TEST_CASE("choice: a wrong option names its misconception, a fatal one is a veto with evidence") {
  Task task = example_task();
  const Question& q = task.questions[2];
  CHECK(graded(task, "clamp", letters(task, q, {"nan"})).correct);
  const QuestionResult wrong = graded(task, "clamp", letters(task, q, {"digits"}));
  CHECK(wrong.points == 0);
  CHECK(wrong.misconception == "Digits that rounding took are gone; zero is merely an admissible variance.");
  CHECK_FALSE(wrong.veto);
  CHECK(graded(task, "clamp", letters(task, q, {"nan", "digits"})).points == 0);
  task.questions[2].options[1].veto = true;
  const QuestionResult fatal = graded(task, "clamp", letters(task, q, {"digits"}));
  CHECK(fatal.veto);
  CHECK(fatal.veto_evidence.find("'It gives the lost digits back.' was chosen.") == 0);
  GradeContext chinese;
  chinese.language = "zh";
  CHECK(graded(task, "clamp", letters(task, q, {"digits"}), chinese).veto_evidence.find("它找回丢失的有效数字") != std::string::npos);
}

TEST_CASE("predict: the variant's number, within the tolerance") {
  const Task task = example_task();
  const bool first = show_question(task, task.questions[1], 0).prompt.in("en").find("[5793 5794]") != std::string::npos;
  const double right = first ? -2.25 : -0.25;
  CHECK(graded(task, "predict", fmt::format("{}", right)).correct);
  CHECK(graded(task, "predict", fmt::format("{} (fused)", right + 0.009)).correct);
  CHECK(graded(task, "predict", fmt::format("{}", right + 0.02)).points == 0);
  CHECK(graded(task, "predict", "no idea").feedback.find("The answer holds no number") == 0);
  CHECK(graded(task, "predict", "").feedback == "No answer yet.");
}

TEST_CASE("order and predict: a wrong answer says which misconception it shows") {
  const Task task = example_task();
  const QuestionResult order = graded(task, "order", letters(task, task.questions[0], {"squares", "overflow", "cancel", "root", "spread"}));
  CHECK(order.points == 0);
  CHECK(order.misconception == "The squares are near 1e6, and the largest float is 3.4e38.");
  CHECK(graded(task, "order", letters(task, task.questions[0], {"squares", "eps", "cancel", "root", "spread"})).misconception.empty());
  CHECK(graded(task, "predict", "0.25").misconception.find("That is the variance in exact arithmetic") == 0);
  // Unfused the two variants give -4 and 0: computed for the variant asked.
  const bool first = show_question(task, task.questions[1], 0).prompt.in("en").find("[5793 5794]") != std::string::npos;
  CHECK(graded(task, "predict", first ? "-4" : "0").misconception.find("That rounds the square of the mean") == 0);
  CHECK(graded(task, "predict", "3").misconception.empty());
  CHECK(graded(task, "predict", first ? "-2.25" : "-0.25").misconception.empty());
}

TEST_CASE("two learners are asked different numbers") {
  const Task task = example_task();
  std::set<std::string> prompts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) prompts.insert(show_question(task, task.questions[1], seed).prompt.in("en"));
  CHECK(prompts.size() == 2);  // as many as it has alternatives
}

TEST_CASE("text: a link needs cause and effect close together") {
  const Task task = example_task();
  const auto points = [&](const std::string& answer) { return graded(task, "explanation", answer).points; };
  CHECK(points("On a constant row the difference is negative.") == 0.5);
  CHECK(points("On constant rows it breaks. The variance is then below zero.") == 0.5);
  CHECK(points("Constant rows are hard. Much can be said. More can be said. It may be negative.") == 0);
  CHECK(points("negative nan cancel") == 0);
  CHECK(points("在常数行上方差为负。一遍读完，却损失精度。") == 1);
  CHECK(points("negative-variance gives NaN") == 0.5);
  CHECK(points("Negative variance rows: NaN comes out") == 0.5);
  const QuestionResult result = graded(task, "explanation", "constant rows");
  CHECK(result.provisional);
  CHECK(result.feedback.find("Link 'boundary': the cause is named, its effect is not.") != std::string::npos);
  CHECK(graded(task, "explanation", std::string(20'000, 'x')).feedback.find("The answer is 20000 bytes long") == 0);
}

TEST_CASE("after a failure the explanation must say what failed and why") {
  const Task task = example_task();
  const std::string reference = task.explanation->reference.in("en");
  GradeContext context;
  context.failed = {"one-spike", "clamp"};
  CHECK(graded(task, "explanation", reference, {}).points == 1);
  // The reference names the clamp, but gives no reason in the words of a failure.
  const QuestionResult silent = graded(task, "explanation", reference, context);
  CHECK(silent.points == 0.5);
  CHECK_FALSE(silent.correct);
  CHECK(silent.feedback.find("Cases failed; say which and why") != std::string::npos);
  CHECK(graded(task, "explanation", reference + " One spike failed because I divided by N - 1.", context).points == 1);
  CHECK(graded(task, "explanation", reference + " one-spike 失败，因为除数错了。", context).points == 1);
}

TEST_CASE("a claim of a measurement needs a run that shows it") {
  const Task task = example_task();
  GradeContext context;
  const std::string claim = task.explanation->reference.in("en") + " measured: 1.9 TB/s.";
  const QuestionResult unbacked = graded(task, "explanation", claim, context);
  CHECK(unbacked.veto);
  CHECK(unbacked.veto_evidence == "'measured: 1.9 TB/s': no run on record measured anything in TB/s");
  context.recorded = {{"bandwidth", 1210, "GB/s"}};
  CHECK(graded(task, "explanation", claim, context).veto_evidence ==
        "'measured: 1.9 TB/s': no run on record shows it; recorded in that unit: bandwidth: 1210 GB/s");
  context.recorded.push_back({"bandwidth", 1897, "GB/s"});
  CHECK_FALSE(graded(task, "explanation", claim, context).veto);
}

TEST_CASE("claims are read in every spelling and compared in every unit") {
  const std::vector<Measurement> recorded{{"passes x read", 2, "passes"}, {"time", 31.4, "us"}, {"requests", 1024, "requests"}};
  const auto backed = [&](const std::string& text) {
    const auto claims = find_claims(text, recorded);
    REQUIRE(claims.size() == 1);
    return claims[0].backed;
  };
  CHECK(backed("measured: 2 passes"));
  CHECK(backed("Measured: 2.0 pass"));
  CHECK_FALSE(backed("measured: 3 passes"));
  CHECK(backed("**measured**: 0.0314 ms"));
  CHECK(backed("measured: 31 us"));
  CHECK(backed("实测：1024 requests"));
  CHECK_FALSE(backed("measured: 1100 requests"));
  CHECK(backed("measured: 1.02e3 requests."));
  CHECK(find_claims("I measured a lot. It was measured 3 times. unmeasured: 3 us", recorded).empty());
  CHECK(find_claims("measured: fast", recorded).empty());
  CHECK(find_claims("measured: 3 us and measured: 4 us", recorded).size() == 2);
}

TEST_CASE("the sheet comes back as it was written") {
  const Task task = example_task();
  const std::string empty = new_answer_sheet(task, {0xFEDCBA9876543210, "en", {}});
  auto read = read_answers(empty, "answers.md", task);
  REQUIRE(read);
  CHECK(read->seed == 0xFEDCBA9876543210);
  CHECK(read->answers.size() == 4);
  for (const auto& [id, answer] : read->answers) CHECK(answer.text.empty());

  const AnswerSheet reference = reference_answers(task, 3);
  read = read_answers(write_answers(task, reference, {3, "zh", {}}), "answers.md", task);
  REQUIRE(read);
  for (const auto& [id, answer] : reference.answers) CHECK(read->answers.at(id).text == answer.text);
  CHECK(read->answers.at("order").line > 0);
}

TEST_CASE("answers may hold Markdown, comments and Windows line ends; mistakes have a line") {
  const Task task = example_task();
  const std::string text =
      "\xEF\xBB\xBF# My answers\r\n## order: steps\r\n> quoted prompt\r\n<!-- not this\r\n## neither -->\r\na b\r\n\r\n### "
      "why\r\n```\r\n## code\r\n> kept\r\n```\r\n## clamp\r\n c \r\n";
  const auto sheet = read_answers(text, "answers.md", task);
  REQUIRE(sheet);
  CHECK(sheet->answers.at("order").text == "a b\n\n### why\n```\n## code\n> kept\n```");
  CHECK(sheet->answers.at("clamp").text == "c");
  CHECK(sheet->answers.at("clamp").line == 14);
  CHECK_FALSE(sheet->seed);
  const auto error = [&](const std::string& bad) { return read_answers(bad, "answers.md", task).error().text(); };
  CHECK(error("\n## ordre\n")
            .find("answers.md:2:1: error: 'ordre' is not a question of this task, expected one of order, predict, clamp, explanation; did "
                  "you mean 'order'?") == 0);
  CHECK(error("## order\na\n## order\nb\n").find("answers.md:3:1: error: question 'order' is answered twice") == 0);
  CHECK(error("<!-- variant xyz -->\n").find("answers.md:1:1: error: the variant's number cannot be read") == 0);
  CHECK(error(std::string("a\0b", 3)).find("is not UTF-8 text") != std::string::npos);
}

TEST_CASE("sentences end where people end them") {
  CHECK(sentences_of("It is 0.25. Then\nmore! 好。再来；e.g.x") ==
        std::vector<std::string>{"It is 0.25", "Then more", "好", "再来", "e.g.x"});
  CHECK(sentences_of("a\n\nb").size() == 2);
  CHECK(sentences_of("").empty());
  CHECK(sentences_of(std::string(5000, 'x')).size() > 5);
}
