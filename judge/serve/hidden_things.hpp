#pragma once
// For tests: what no answer may hold before it is open, and the search for it.
#include <set>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/serve/served.hpp"
#include "judge/task/answers.hpp"
#include "judge/task/blanks.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/cli/submissions.hpp"

namespace warpbook::serve {

namespace fs = std::filesystem;

/// All texts in a JSON value, names of members among them, entities of HTML undone.
inline void collect(const nlohmann::json& value, std::string& into) {
  if (value.is_string()) into += value.get<std::string>() + "\n";
  if (value.is_object())
    for (const auto& [name, member] : value.items()) {
      into += '"' + name + "\"\n";
      collect(member, into);
    }
  if (value.is_array())
    for (const nlohmann::json& item : value) collect(item, into);
}

inline std::string unescaped(std::string text) {
  for (const auto& [entity, c] :
       {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""}, std::pair{"&#39;", "'"}, std::pair{"&amp;", "&"}})
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at) text.replace(at, std::string(entity).size(), c);
  return text;
}

inline std::string texts_of(const Reply& reply) {
  std::string out;
  const nlohmann::json parsed = nlohmann::json::parse(reply.body, nullptr, false);
  if (parsed.is_discarded()) out = reply.body;
  else collect(parsed, out);
  return unescaped(out);
}

inline std::string text_at(const fs::path& file) {
  const Result<std::string> text = read_file(file);
  return text ? *text : std::string();
}

/// The longest stretch of a text in which Markdown changes nothing.
inline std::string plain_stretch(const std::string& text) {
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

inline void add_solution(const task::Task& task, Secrets& secrets) {
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

inline Secrets secrets_of(const fs::path& root, const std::vector<task::Task>& tasks) {
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

inline void check_clean(const Secrets& secrets, const std::string& where, const Reply& reply) {
  const std::string text = texts_of(reply);
  std::vector<std::string> found;
  for (const auto& [needle, what] : secrets.needles)
    if (text.find(needle) != std::string::npos) found.push_back(what + ": " + needle);
  if (text.find("/wrong/") != std::string::npos) found.push_back("a path of a wrong submission");
  INFO(where);
  CHECK(found == std::vector<std::string>{});
}

/// The tasks of a workbook.
inline std::vector<task::Task> tasks_in(const fs::path& root) {
  std::vector<task::Task> tasks;
  for (const task::TaskFolder& folder : task::list_tasks(root)) {
    Result<task::Task> one = task::read_task(root, folder);
    REQUIRE(one);
    tasks.push_back(std::move(*one));
  }
  return tasks;
}

}  // namespace warpbook::serve
