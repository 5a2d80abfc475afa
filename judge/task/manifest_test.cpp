#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/task/task_fixture.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

/// A change of the example, and what the reader must say about it.
struct Mistake {
  const char* from;
  const char* to;
  const char* what;  ///< part of the message
};

/// Place of the first `needle` in the changed text, as "line:column".
std::string place(const std::string& text, const std::string& needle) {
  const std::size_t at = text.find(needle);
  REQUIRE(at != std::string::npos);
  const std::size_t newline = text.rfind('\n', at);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return fmt::format("{}:{}", line, newline == std::string::npos ? at + 1 : at - newline);
}

}  // namespace

TEST_CASE("the manual's example reads") {
  const Task task = example_task();
  CHECK(task.id == "05-layernorm");
  CHECK(task.kind == TaskKind::kLesson);
  CHECK(task.level == 2);
  CHECK(task.bound == "two-moment");
  CHECK(task.parameters == std::vector<std::string>{"x", "gamma", "beta", "y", "rows", "cols", "eps"});
  CHECK(task.title.in("en") == "LayerNorm: mean, variance and what cancels");
  CHECK(task.title.in("zh") == "LayerNorm：均值、方差与相消");
  CHECK(task.title.in("fr") == task.title.in("en"));
  CHECK(task.requires_ids == std::vector<std::string>{"02-block-reduce"});
  REQUIRE(task.blanks.size() == 1);
  CHECK(task.blanks[0].lines == 2);
  REQUIRE(task.blanks[0].hints.size() == 4);
  CHECK(task.blanks[0].hints[0].in("zh") == "看一看求和与开方之间的两行。");
  CHECK(task.blanks[0].hints[3].in("en") == "`float var = fmaxf(sq / cols - mean * mean, 0.0f);`");
  REQUIRE(task.passes.size() == 1);
  CHECK(task.passes[0].read == 2);
  CHECK(task.passes[0].write == 0);
}

TEST_CASE("cases carry shapes, fills, layouts and scalars") {
  const Task task = example_task();
  REQUIRE(task.cases.size() == 6);
  const Case& plain = task.cases[0];
  CHECK(plain.kind == CaseKind::kNormal);
  CHECK(plain.rows == 32);
  CHECK(plain.gpu_rows == 4096);
  CHECK(plain.gpu_cols == 0);
  CHECK(plain.tag.empty());
  CHECK(task.cases[1].about == "rows with a mean of 20 standard deviations");
  CHECK(task.cases[1].about_in.at("zh") == "均值为 20 倍标准差的行");
  CHECK(task.cases[1].fills.at("x").mean == 20);
  CHECK(task.cases[1].fills.at("gamma").high == 1.5);
  CHECK(task.cases[1].scalars.at("eps") == 1e-6);
  const Case& clamp = task.cases[2];
  CHECK(clamp.check == CheckKind::kFinite);
  CHECK(clamp.magnitude == 1e6);
  CHECK(clamp.tag == "clamp");
  CHECK(clamp.fills.at("x").kind == inputs::FillKind::kConstant);
  CHECK(clamp.fills.at("x").row_step == 0.37);
  REQUIRE(task.cases[3].fills.at("x").pokes.size() == 1);
  CHECK(task.cases[3].fills.at("x").pokes[0].at == inputs::PokeAt::kLast);
  CHECK(task.cases[3].fills.at("x").pokes[0].value == 100);
  CHECK(task.cases[3].tag == "one-spike");
  CHECK(task.cases[4].layouts.at("x").row_stride == 8);
  CHECK(task.cases[5].layouts.at("y").alias == "x");
}

TEST_CASE("pokes take every place and every float") {
  const std::string pokes = R"(<poke at="element" index="3" row="2" value="-0"/><poke at="every" period="4" index="1" value="nan"/>
    <poke at="lanes" lanes="0xffff0000" value="-inf"/><poke at="prefix" count="5" value="1e-45"/><poke at="suffix" count="6" value="0x1.8p1"/>)";
  const auto task = read_example(example_with(R"(<poke at="last" value="100"/>)", pokes));
  REQUIRE(task);
  const auto& read = task->cases[3].fills.at("x").pokes;
  REQUIRE(read.size() == 5);
  CHECK(read[0].row == 2);
  CHECK(read[0].index == 3);
  CHECK((read[0].value == 0 && std::signbit(read[0].value)));
  CHECK((read[1].period == 4 && read[1].index == 1 && std::isnan(read[1].value)));
  CHECK(read[2].lanes == 0xffff0000u);
  CHECK((std::isinf(read[2].value) && read[2].value < 0));
  CHECK((read[3].count == 5 && read[3].value == std::numeric_limits<float>::denorm_min()));
  CHECK((read[4].count == 6 && read[4].value == 3));
}

TEST_CASE("questions of all four kinds and the explanation") {
  const Task task = example_task();
  REQUIRE(task.questions.size() == 3);
  CHECK(task.questions[0].kind == QuestionKind::kOrder);
  CHECK(task.questions[0].steps[4].position == 0);
  CHECK(task.questions[1].predictor == "two-moment-variance");
  CHECK(task.questions[1].parameters.at("row") == "5793 5794 | 10000 10001");
  CHECK(task.questions[2].options[0].right);
  CHECK(task.questions[2].options[1].text.in("zh") == "它找回丢失的有效数字。");
  REQUIRE(task.explanation);
  CHECK(task.explanation->points == 1);
  CHECK(task.explanation->links.size() == 2);
  CHECK(task.explanation->links[0].cause.size() == 3);
}

TEST_CASE("every mistake is an error that says what is and what was expected") {
  const Mistake mistakes[] = {
      {"<lesson ", "<leson ", "</lesson> stands where </leson> is expected"},
      {"level=\"2\"", "level=\"two\"", "level=\"two\" is not a whole number from 1 to 9"},
      {" level=\"2\"", "", "<lesson> lacks its attribute 'level'"},
      {"level=\"2\"", "levle=\"2\"",
       "unknown attribute 'levle' of <lesson>, expected one of id, level, operator, launch, parameters, bound; did you mean 'level'?"},
      {"level=\"2\"", "level=\"2\" level=\"3\"", "attribute 'level' of <lesson> is given twice"},
      {"operator=\"layernorm\"", "operator=\"layernrom\"",
       "unknown operator 'layernrom', expected one of layernorm, softmax; did you mean 'layernorm'?"},
      {"bound=\"two-moment\"", "bound=\"two\"", "unknown bound 'two', expected one of two-pass, two-moment"},
      {"launch=\"launch_layernorm\"", "launch=\"a b\"", "'a b' is not the name of a C++ function"},
      {"launch=\"launch_layernorm\"", "launch=\"launch_layernorm\" parameters=\"x y epsilon\"",
       "unknown parameter 'epsilon', expected one of x, y, gamma, beta, rows, cols, eps"},
      {"id=\"05-layernorm\"", "id=\"5-layernorm\"", "id is '5-layernorm', expected the folder's name '05-layernorm'"},
      {"<title>LayerNorm", "<title></title><title>LayerNorm", "<title> is empty"},
      {" xml:lang=\"zh\">LayerNorm", ">LayerNorm", "<title> is given twice in the language 'en'"},
      {"xml:lang=\"zh\"", "xml:lang=\"de\"", "unknown xml:lang 'de', expected one of en, zh"},
      {"<requires>02-block-reduce", "<requires>02 03", "<requires> names one task"},
      {"scope=\"device\"", "scope=\"kernel\"", "unknown scope 'kernel', expected one of device, host"},
      {"<blank name=\"variance\" scope", "<blank name=\"Variance\" scope", "'Variance' is not a name"},
      {"explain=\"1\"", "explain=\"2\"", "the points of the code add up to 5, expected 4"},
      {"explain=\"1\"", "explian=\"1\"", "unknown attribute 'explian' of <points>"},
      {"name=\"shifted\"", "name=\"plain\"", "a case named 'plain' exists already"},
      {"rows=\"32\"", "rows=\"-1\"", "rows=\"-1\" is not a whole number from 0 to 2147483647"},
      {"cols=\"1024\"", "cols=\"0\"", "cols=\"0\" is not a whole number from 1 to 2147483647"},
      {"rows=\"32\"", "rows=\"3.5\"", "rows=\"3.5\" is not a whole number"},
      {" about=\"ordinary rows around zero\"", "", "<normal> lacks its attribute 'about'"},
      {"<fill tensor=\"x\" kind=\"normal\" mean=\"0\"", "<fill tensor=\"z\" kind=\"normal\" mean=\"0\"",
       "unknown tensor 'z', expected one of x, y, gamma, beta"},
      {"<fill tensor=\"x\" kind=\"normal\" mean=\"0\"", "<fill tensor=\"y\" kind=\"normal\" mean=\"0\"", "'y' is an output"},
      {"<fill tensor=\"x\" kind=\"normal\" mean=\"0\"", "<fill tensor=\"x\" kind=\"gauss\" mean=\"0\"",
       "unknown kind 'gauss', expected one of constant, uniform, normal, lognormal, ramp"},
      {"<fill tensor=\"gamma\"", "<fill tensor=\"x\"", "'x' is filled twice"},
      {"mean=\"20\"", "mean=\"twenty\"", "mean=\"twenty\" is not a number"},
      {"mean=\"20\"", "mean=\"inf\"", "mean=\"inf\" is not finite"},
      {"mean=\"20\"", "value=\"20\"", "'value' does not belong to kind=\"normal\", it belongs to \"constant\""},
      {"mean=\"20\" sd=\"1\"", "mean=\"20\" sd=\"-1\"", "sd is negative"},
      {"low=\"0.5\"", "low=\"2\"", "low 2 is not below high 1.5"},
      {"<scalar name=\"eps\"", "<scalar name=\"epsilon\"", "unknown scalar 'epsilon', expected eps"},
      {"<scalar name=\"eps\"", "<scalar name=\"cols\"", "unknown scalar 'cols', expected eps"},
      {" magnitude=\"1e6\"", "", "check=\"finite\" lacks magnitude"},
      {"tag=\"clamp\"", "tag=\"clamp  it\"", "'clamp  it' is not a phrase"},
      {"<about xml:lang=\"zh\">", "<about>", "<about> lacks its attribute 'xml:lang'"},
      {"<about xml:lang=\"zh\">", "<about xml:lang=\"en\">", "unknown xml:lang 'en' of <about>, expected zh"},
      {"check=\"finite\" magnitude", "magnitude", "magnitude belongs to check=\"finite\""},
      {"check=\"finite\"", "check=\"exact\"", "unknown check 'exact', expected one of bound, finite"},
      {"at=\"last\" value=\"100\"", "at=\"lats\" value=\"100\"",
       "unknown at 'lats', expected one of element, last, every, lanes, prefix, suffix; did you mean 'last'?"},
      {"at=\"last\" value=\"100\"", "at=\"last\" index=\"1\" value=\"100\"", "'index' does not belong to at=\"last\""},
      {"at=\"last\" value=\"100\"", "at=\"last\" value=\"1e39\"", "value is beyond the largest float"},
      {"at=\"last\" value=\"100\"", "at=\"element\" index=\"257\" value=\"100\"", "index=\"257\" is not a whole number from 0 to 256"},
      {"at=\"last\" value=\"100\"", "at=\"last\" row=\"4\" value=\"100\"", "row=\"4\" is not a whole number from 0 to 3"},
      {"at=\"last\" value=\"100\"", "at=\"every\" period=\"2\" index=\"2\" value=\"1\"", "index 2 is not below period 2"},
      {"stride=\"8\"", "stride=\"4\"", "stride=\"4\" is not a whole number from 5 to"},
      {"<layout tensor=\"x\" stride=\"8\"/>", "<layout tensor=\"gamma\" stride=\"8\"/>", "'gamma' is a vector, it has no row stride"},
      {"<layout tensor=\"x\" stride=\"8\"/>", "<layout tensor=\"x\" absent=\"true\"/>", "'x' may not be absent"},
      {"<layout tensor=\"x\" stride=\"8\"/>", "<layout tensor=\"x\"/>", "<layout> says nothing"},
      {"alias=\"x\"", "alias=\"gamma\"", "'y' and 'gamma' differ in shape or type"},
      {"alias=\"x\"", "alias=\"y\"", "'y' cannot alias itself"},
      {"alias=\"x\"", "alias=\"x\" offset=\"1\"", "an alias takes its layout"},
      {"<passes tensor=\"x\" read=\"2.0\" write=\"0\"/>", "<passes tensor=\"x\"/>", "<passes> limits nothing"},
      {"read=\"2.0\"", "read=\"-2\"", "a number of passes is negative"},
      {"<hint level=\"2\">", "<hint level=\"5\">", "level=\"5\" is not a whole number from 1 to 4"},
      {"<hint level=\"2\">Which of the two numbers is the larger one on a constant row, after rounding?</hint>", "",
       "a hint of level 2 is missing"},
      {"<blank name=\"variance\">", "<blank name=\"varience\">", "unknown blank 'varience', expected variance"},
      {"kind=\"order\" points=\"2\"", "kind=\"order\" points=\"3\"", "the points of the questions add up to 7, expected 6"},
      {"kind=\"order\"", "kind=\"sort\"", "unknown kind 'sort', expected one of order, predict, choice, text"},
      {"position=\"4\"", "position=\"3\"", "position 3 is given twice"},
      {"position=\"4\"", "position=\"5\"", "positions leave a gap"},
      {"<step id=\"cancel\"", "<step id=\"squares\"", "id 'squares' is used twice"},
      {"<question id=\"clamp\"", "<question id=\"order\"", "id 'order' is used twice"},
      {"<question id=\"clamp\"", "<question id=\"explanation\"", "'explanation' is the id of <explanation>"},
      {"right=\"true\"", "right=\"yes\"", "unknown right 'yes', expected one of false, true"},
      {" right=\"true\"", "", "option 'nan' is wrong and lacks its <misconception>"},
      {"predictor=\"two-moment-variance\"", "predictor=\"two-moments-variance\"",
       "unknown predictor 'two-moments-variance', expected one of"},
      {"predictor=\"two-moment-variance\"", "value=\"1\"", "unknown parameter 'row' of predictor 'value', none is expected here"},
      {"tolerance=\"0.01\"", "tolerance=\"-1\"", "tolerance is negative"},
      {"5793 5794 | 10000", "5793 x | 10000", "parameter 'row' holds 'x', expected numbers"},
      {"5793 5794 | 10000", "| 10000", "parameter 'row' has an empty alternative"},
      {"<wrong value=\"0.25\">", "<wrong value=\"0.25\" times=\"2\">", "<wrong> needs value, times, predictor, or parameters"},
      {"<wrong value=\"0.25\"><misconception>That is the variance in exact arithmetic; the squares do not fit into 24 "
       "bits.</misconception>",
       "<wrong value=\"0.25\">", "<wrong> lacks its element <misconception>"},
      {"<wrong value=\"0.25\">", "<wrong times=\"1\">", "this wrong answer is right under every seed that was tried"},
      {"<wrong value=\"0.25\">", "<wrong predictor=\"softmax-value\">", "predictor 'softmax-value' lacks its parameter 'index'"},
      {"name=\"fused\" value=\"false\"", "name=\"row\" value=\"{rows} 1\"",
       "parameter 'row' is '{rows} 1', and the answer has no parameter"},
      {"<step id=\"overflow\">", "<step id=\"overflow\" position=\"5\">",
       "step 'overflow' belongs into the order, it has no misconception"},
      {"[{row}]", "[{rows}]", "the prompt shows {rows}, but there is no parameter of that name"},
      {"<cause>constant rows?</cause>", "<cause>constant (rows</cause>", "'constant (rows' is not a regular expression"},
      {"<link name=\"boundary\" points=\"0.5\">", "<link name=\"edge\" points=\"0.5\">", "lacks a link named 'boundary'"},
      {"<link name=\"boundary\" points=\"0.5\">", "<link name=\"boundary\" points=\"0.6\">",
       "the points of the links add up to 1.1, expected 1"},
      {"it loses digits to cancellation", "it is shorter", "the reference answer does not earn the link 'trade-off'"},
      {"<reference>On constant", "<reference><b/>On constant", "unknown element <b> in <reference>, none is expected here"},
      {"<points normal", "stray <points normal", "text inside <lesson>, expected elements only"},
      {"<points normal=\"2\" boundary=\"1\" explain=\"1\"/>",
       "<points normal=\"2\" boundary=\"1\" explain=\"1\"/><points normal=\"2\" boundary=\"1\" explain=\"1\"/>",
       "<points> stands twice in <lesson>"},
      {"</efficiency>", "<blocks case=\"no-such\" least=\"2\"/></efficiency>", "there is no case named 'no-such'"},
      {"</efficiency>", "<blocks case=\"plain\"/></efficiency>", "<blocks> limits nothing"},
      {"</efficiency>", "<blocks case=\"plain\" least=\"3\" most=\"2\"/></efficiency>", "no grid can be right"},
      {"<efficiency>", "<eficiency/><efficiency>", "unknown element <eficiency> in <lesson>"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto task = read_example(example_with(mistake.from, mistake.to));
    INFO(mistake.from << " -> " << mistake.to);
    REQUIRE_FALSE(task);
    INFO(task.error().text());
    CHECK(task.error().what.find(mistake.what) != std::string::npos);
    CHECK(task.error().where.file == "lesson.xml");
    CHECK(task.error().where.line > 0);
    CHECK(task.error().where.column > 0);
    CHECK_FALSE(task.error().source_line.empty());
  }
}

TEST_CASE("an error points at its element or attribute, whatever comments and values hold before it") {
  const std::string decoy = "<!-- <normal name=\"shifted\" rws=\"1\"> -->";
  std::string text = example_with("<cases>", decoy + "<cases>");
  text.replace(text.find("about=\"ordinary rows around zero\""), 33, "about=\"rws='1' &lt;normal\"");
  const std::size_t at = text.rfind("rows=\"16\"");
  text.replace(at, 9, "rws=\"16\" ");
  const auto task = read_example(text);
  REQUIRE_FALSE(task);
  CHECK(task.error().what.find("unknown attribute 'rws' of <normal>") == 0);
  CHECK(fmt::format("{}:{}", task.error().where.line, task.error().where.column) == place(text, "rws=\"16\""));
}

TEST_CASE("several elements on one line keep their columns") {
  const std::string text =
      example_with("<fill tensor=\"x\" kind=\"constant\" value=\"0\"><poke at=\"last\" value=\"100\"/>",
                   "<fill tensor=\"x\" kind=\"constant\" value=\"0\"><poke at=\"last\" value=\"1\"/><poke at=\"lost\" value=\"2\"/>");
  const auto task = read_example(text);
  REQUIRE_FALSE(task);
  CHECK(fmt::format("{}:{}", task.error().where.line, task.error().where.column) == place(text, "at=\"lost\""));
}

TEST_CASE("an exercise has cases and efficiency, and no blanks or questions") {
  const std::string text = R"(<exercise id="row-softmax" level="3" operator="layernorm" launch="launch" parameters="x y rows cols x_stride">
  <title>Softmax of rows</title>
  <points normal="4" boundary="4" efficiency="2"/>
  <cases><normal name="a" rows="1" cols="1" about="one"/><boundary name="b" rows="1" cols="1" about="one"/></cases>
  <efficiency><passes tensor="x" read="1"/></efficiency>
</exercise>)";
  const auto task = read_manifest(text, "exercise.xml", "row-softmax", fixture_operators());
  REQUIRE(task);
  CHECK(task->kind == TaskKind::kExercise);
  CHECK(task->points.explain == 0);
  CHECK(task->points.efficiency == 2);
  CHECK(task->parameters.back() == "x_stride");
  CHECK_FALSE(task->explanation);
  std::string with_blank = text;
  with_blank.insert(with_blank.find("<points"), "<blank name=\"b\" scope=\"device\" lines=\"1\"/>");
  CHECK(read_manifest(with_blank, "exercise.xml", "row-softmax", fixture_operators())
            .error()
            .what.find("unknown element <blank> in <exercise>") == 0);
}

TEST_CASE("a boundary case says which call fails, and at which turn") {
  CHECK(example_task().cases.front().fail == FailingCall::kNone);
  const std::string in_place = "<boundary name=\"in-place\" rows=\"3\" cols=\"33\"";
  const auto with = [&](const std::string& attributes) { return read_example(example_with(in_place, in_place + attributes)); };
  const auto find = [](const Task& task) {
    return std::find_if(task.cases.begin(), task.cases.end(), [](const Case& c) { return c.name == "in-place"; });
  };
  const auto launch = with(" fail=\"launch\"");
  REQUIRE(launch);
  CHECK(find(*launch)->fail == FailingCall::kLaunch);
  CHECK(find(*launch)->fail_at == 1);
  const auto attribute = with(" fail=\"cudaFuncSetAttribute\" fail-at=\"3\"");
  REQUIRE(attribute);
  CHECK(find(*attribute)->fail == FailingCall::kFuncSetAttribute);
  CHECK(find(*attribute)->fail_at == 3);
  CHECK(with(" fail=\"cudaFree\"").error().what.find("unknown fail 'cudaFree'") == 0);
  CHECK(with(" fail-at=\"2\"").error().what == "fail-at belongs to fail, which says what fails");
  const std::string plain = "<normal name=\"plain\"";
  CHECK(read_example(example_with(plain, plain + " fail=\"launch\"")).error().what ==
        "a call fails in a normal case, expected only in boundary cases");
}
