// Lessons, hints and questions in the learner's language: --lang first, then the environment; English where nothing else is written.
#include "judge/base/error.hpp"
#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// `judge WORDS` with these variables and no other that names a language.
Said in_locale(const Home& home, const Words& words, const std::map<std::string, std::string>& variables) {
  run::Command command = home.command(words);
  for (const char* name : {"WARPBOOK_LANG", "LC_ALL", "LC_MESSAGES", "LANG"}) command.set_environment[name] = "";
  for (const auto& [name, value] : variables) command.set_environment[name] = value;
  return finish(command);
}

bool is_chinese(const Said& said) { return contains(said.out, "均值"); }

}  // namespace

TEST_CASE("the option --lang decides before every variable, wherever it stands") {
  const Home home;
  CHECK(is_chinese(home.judge({"show", "05", "--lang", "zh"})));
  CHECK(is_chinese(home.judge({"show", "--lang=zh", "05"})));
  CHECK_FALSE(is_chinese(in_locale(home, {"show", "05", "--lang", "en"}, {{"LANG", "zh_CN.UTF-8"}})));
  CHECK(is_chinese(home.judge({"list", "--lang", "zh"})));
  CHECK(is_chinese(home.judge({"--lang", "zh"})));
  for (const Words& words : {Words{"show", "05", "--lang", "fr"}, Words{"show", "05", "--lang"}}) {
    const Said said = home.judge(words);
    CHECK(said.status == kUsage);
    CHECK(contains(said.err, "expected zh or en"));
  }
}

TEST_CASE("the locale decides where nothing else does, the stronger variable first") {
  const Home home;
  CHECK(is_chinese(in_locale(home, {"show", "05"}, {{"LANG", "zh_CN.UTF-8"}})));
  CHECK(is_chinese(in_locale(home, {"show", "05"}, {{"LANG", "en_GB.UTF-8"}, {"LC_ALL", "zh_TW"}})));
  CHECK_FALSE(is_chinese(in_locale(home, {"show", "05"}, {{"LANG", "zh_CN"}, {"LC_ALL", "C.UTF-8"}})));
  CHECK_FALSE(is_chinese(in_locale(home, {"show", "05"}, {{"LANG", "de_DE.UTF-8"}})));
  CHECK_FALSE(is_chinese(in_locale(home, {"show", "05"}, {})));
}

TEST_CASE("the text of an open problem follows the language") {
  const Home home;
  const Said english = home.judge({"show", "row-softmax", "--lang", "en"}), chinese = home.judge({"show", "row-softmax", "--lang", "zh"});
  CHECK(contains(english.out, "A row masked throughout is 0 everywhere"));
  CHECK(contains(chinese.out, "全部屏蔽的行，处处是 0"));
  CHECK_FALSE(contains(chinese.out, "A row masked throughout"));
}

TEST_CASE("hints, questions and the kinds of input follow the language, and fall back to English one by one") {
  const Home home;
  const auto lesson = home.own_lesson("05-layernorm");
  // One hint without its Chinese.
  std::string kept;
  for (const std::string& line : split_lines(home.read(lesson / "lesson.xml")))
    if (!contains(line, "<hint level=\"2\" xml:lang=\"zh\">")) kept += line + "\n";
  home.write(lesson / "lesson.xml", kept);
  CHECK(contains(home.judge({"hint", "05", "--lang", "zh"}).out, "的均值"));
  const Said second = home.judge({"hint", "05", "--lang", "zh"});
  CHECK(contains(second.out, "hint 2 of 4"));
  CHECK(contains(second.out, "On constant rows"));

  home.write("work/05-layernorm/exercise.cu", layernorm_with("  const float scale = rsqrtf(mean_square);\n"));
  const Said said = home.judge({"run", "05", "--case", "zeros", "--lang", "zh", "--no-advice"});
  CHECK(contains(said.out, "全是 0 的行"));
  CHECK_FALSE(contains(said.out, "rows of zeros"));
}
