// Everything a learner can ask before anything is open, in both languages, is searched for what they should not see yet: lines of
// solutions, names and texts of wrong submissions, which option is right and why, hints that were not asked for, seeds and fills.
#include <algorithm>
#include <set>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/serve/served.hpp"
#include "judge/task/answers.hpp"
#include "judge/task/blanks.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

/// All texts in a JSON value, names of members among them, entities of HTML undone.
void collect(const nlohmann::json& value, std::string& into) {
  if (value.is_string()) into += value.get<std::string>() + "\n";
  if (value.is_object())
    for (const auto& [name, member] : value.items()) {
      into += '"' + name + "\"\n";
      collect(member, into);
    }
  if (value.is_array())
    for (const nlohmann::json& item : value) collect(item, into);
}

std::string unescaped(std::string text) {
  for (const auto& [entity, c] :
       {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""}, std::pair{"&#39;", "'"}, std::pair{"&amp;", "&"}})
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at) text.replace(at, std::string(entity).size(), c);
  return text;
}

std::string texts_of(const Reply& reply) {
  std::string out;
  const nlohmann::json parsed = nlohmann::json::parse(reply.body, nullptr, false);
  if (parsed.is_discarded()) out = reply.body;
  else collect(parsed, out);
  return unescaped(out);
}

std::string text_at(const fs::path& file) {
  const Result<std::string> text = read_file(file);
  return text ? *text : std::string();
}

/// The longest stretch of a text in which Markdown changes nothing.
std::string plain_stretch(const std::string& text) {
  std::string best, now;
  for (const char c : text + "`") {
    if (std::string("`$*_<>&[]\\\n\"'#").find(c) == std::string::npos) {
      now += c;
      continue;
    }
    if (now.size() > best.size()) best = now;
    now.clear();
  }
  return std::string(trimmed(best));
}

struct Secrets {
  std::map<std::string, std::string> needles;  ///< text -> what it is
  std::string open;                            ///< texts that a learner may read anyhow

  void add(const std::string& text, const std::string& what) {
    constexpr std::size_t kTelling = 24;
    if (text.size() >= kTelling && open.find(text) == std::string::npos) needles[text] = what;
  }
  void add_words(const task::Text& text, const std::string& what) {
    for (const auto& [language, words] : text.by_language) add(plain_stretch(words), what + " " + language);
  }
};

void add_solution(const task::Task& task, Secrets& secrets) {
  const std::string solution = text_at(task.solution);
  const auto add_lines = [&](std::string_view text) {
    for (const std::string& line : split_lines(text)) secrets.add(std::string(trimmed(line)), task.id + " solution");
  };
  if (task.blanks.empty()) return add_lines(solution);
  const auto cut = task::cut_at_markers(solution, "solution.cu");
  REQUIRE(cut);
  for (const task::BlankRegion& region : cut->regions)
    add_lines(std::string_view(solution).substr(region.begin, region.end - region.begin));
}

Secrets secrets_of(const fs::path& root, const std::vector<task::Task>& tasks) {
  Secrets secrets;
  for (const task::Task& task : tasks) {
    for (const char* language : {"en", "zh"}) secrets.open += text_at(task::text_file(task, language));
    secrets.open += text_at(task.starter);
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "common" / "kernel")) secrets.open += text_at(entry.path());
  for (const task::Task& task : tasks) {
    add_solution(task, secrets);
    for (const fs::path& wrong : task::submissions_in(task.wrong_folder)) {
      const std::string text = text_at(wrong);
      const std::size_t mistake = text.find("// mistake: ");
      if (mistake != std::string::npos)
        secrets.add(plain_stretch(text.substr(mistake + 12, text.find('\n', mistake) - mistake - 12)), task.id + " mistake");
    }
    for (const task::Blank& blank : task.blanks) {
      for (const task::Text& hint : blank.hints) secrets.add_words(hint, task.id + " hint");
      for (const task::TaggedHint& hint : blank.tagged) secrets.add_words(hint.text, task.id + " hint");
    }
    std::vector<const task::Question*> questions = task::questions_of(task);
    for (const task::Question* question : questions) {
      secrets.add_words(question->because, task.id + " because");
      secrets.add_words(question->reference, task.id + " reference");
      for (const task::Option& option : question->options) secrets.add_words(option.misconception, task.id + " misconception");
      for (const task::OrderStep& step : question->steps) secrets.add_words(step.misconception, task.id + " misconception");
      for (const task::WrongPrediction& wrong : question->wrong) secrets.add_words(wrong.misconception, task.id + " misconception");
    }
  }
  for (const char* member : {"\"seed\"", "\"seed_hash\"", "\"fills\"", "\"layouts\"", "\"right\"", "\"predictor\"", "\"expected_answer\"",
                             "\"tolerance\"", "\"rubric\"", "\"links\"", "\"solution\"", "\"wrong\"", "\"because\"", "\"reference\""})
    secrets.needles[member] = "a member of that name";
  return secrets;
}

void check_clean(const Secrets& secrets, const std::string& where, const Reply& reply) {
  const std::string text = texts_of(reply);
  std::vector<std::string> found;
  for (const auto& [needle, what] : secrets.needles)
    if (text.find(needle) != std::string::npos) found.push_back(what + ": " + needle);
  if (text.find("/wrong/") != std::string::npos) found.push_back("a path of a wrong submission");
  INFO(where);
  CHECK(found == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("nothing that is hidden goes out before it is open") {
  const Served served;
  std::vector<task::Task> tasks;
  for (const task::TaskFolder& folder : task::list_tasks(served.home.folder())) {
    Result<task::Task> one = task::read_task(served.home.folder(), folder);
    REQUIRE(one);
    tasks.push_back(std::move(*one));
  }
  const Secrets secrets = secrets_of(served.home.folder(), tasks);
  REQUIRE(secrets.needles.size() > 1000);
  // The search finds what it looks for.
  for (const auto& [needle, what] : secrets.needles)
    if (what == "05-layernorm solution") CHECK(cli::layernorm_with(cli::kRightVariance).find(needle) != std::string::npos);

  for (const Route& route : served.server->routes()) {
    if (route.method != "GET" || route.path.find("/events") != std::string::npos) continue;
    for (const task::Task& task : tasks) {
      std::string path = route.path;
      for (const auto& [name, value] :
           {std::pair<std::string, std::string>{"{id}", task.id}, {"{name}", "figure.svg"}, {"{run}", "1"}, {"{attempt}", "1"}})
        if (const std::size_t at = path.find(name); at != std::string::npos) path.replace(at, name.size(), value);
      for (const char* language : {"?lang=en", "?lang=zh"}) check_clean(secrets, path + language, served.get(path + language));
      if (path.ends_with("/solution")) CHECK(served.get(path).status == 403);
    }
  }
  // What is not an address of the API is no way around it.
  for (const std::string path :
       {"/lessons/05-layernorm/solution.cu", "/../lessons/05-layernorm/solution.cu", "/api/tasks/05-layernorm/figures/solution.cu",
        "/api/tasks/05-layernorm/figures/..%2F..%2F05-layernorm%2Fsolution.cu", "/api/tasks/05-layernorm/figures/lesson.xml"})
    CHECK(served.get(path).status == 404);

  // A failing run, its stream, its record, and its trace.
  served.home.write(
      "work/05-layernorm/exercise.cu",
      cli::layernorm_with("  const float variance = mean_square - mean * mean;\n  const float scale = rsqrtf(variance + eps);\n"));
  const std::string run = served.send("POST", "/api/tasks/05-layernorm/runs", nlohmann::json::object()).json()["run"];
  const auto stream = served.follow("/api/runs/" + run + "/events");
  REQUIRE(stream->until("event: result", 240s));
  stream->until("0\r\n\r\n", 20s);
  Reply whole;
  nlohmann::json told = nlohmann::json::array();
  for (const std::string& line : split_lines(stream->read))
    if (line.starts_with("data: ")) told.push_back(nlohmann::json::parse(line.substr(6), nullptr, false));
  REQUIRE(told.size() > 10);
  whole.body = told.dump();
  check_clean(secrets, "stream", whole);
  check_clean(secrets, "run", served.get("/api/runs/" + run));
  check_clean(secrets, "attempt", served.get("/api/attempts/1"));
  check_clean(secrets, "attempts", served.get("/api/tasks/05-layernorm/attempts"));
  check_clean(secrets, "trace", served.send("POST", "/api/tasks/05-layernorm/traces", {{"case", "plain"}}));
  Secrets but_marks = secrets;
  but_marks.needles.erase("\"right\"");  // whether an answer given is right
  check_clean(but_marks, "answers", served.send("PUT", "/api/tasks/05-layernorm/answers", {{"answers", nlohmann::json::object()}}));

  // The search is no sieve: what is opened now, it finds.
  const auto finds = [&](const Reply& reply, const std::string& wanted) {
    const std::string text = texts_of(reply);
    return std::any_of(secrets.needles.begin(), secrets.needles.end(), [&](const auto& needle) {
      return needle.second.starts_with(wanted) && text.find(needle.first) != std::string::npos;
    });
  };
  for (int level = 1; level <= 4; ++level)
    CHECK(finds(served.send("POST", "/api/tasks/05-layernorm/hints", {{"blank", "variance"}}), "05-layernorm hint"));
  CHECK(finds(served.get("/api/tasks/05-layernorm/solution"), "05-layernorm solution"));
  CHECK(finds(served.get("/api/runs/" + run), "05-layernorm mistake"));
}
