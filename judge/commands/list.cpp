// Progress, medals, and what is next.
#include <fmt/format.h>

#include <algorithm>
#include <cxxopts.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/store/sqlite_store.hpp"

namespace warpbook::commands {
namespace {

using ProgressMap = std::map<std::string, store::Progress>;

ProgressMap known_progress(const Context& context) {
  ProgressMap out;
  std::error_code ignored;
  if (!std::filesystem::exists(context.store_file(), ignored)) return out;
  const auto store = store::open_store(context.store_file());
  if (!store) {
    complain(fmt::format("warning: progress is not known: {}\n", store.error().text()));
    return out;
  }
  const auto all = (*store)->all_progress();
  if (!all) return out;
  for (const store::Progress& p : *all) out[p.task] = p;
  return out;
}

/// The first task that is not passed and whose prerequisites (those that exist) are.
std::string next_task(const std::vector<task::Task>& tasks, const ProgressMap& progress) {
  const auto passed = [&](const std::string& id) {
    const auto it = progress.find(id);
    return it != progress.end() && it->second.passed;
  };
  const auto exists = [&](const std::string& id) {
    return std::any_of(tasks.begin(), tasks.end(), [&](const task::Task& t) { return t.id == id; });
  };
  for (const task::Task& t : tasks) {
    const bool open =
        std::all_of(t.requires_ids.begin(), t.requires_ids.end(), [&](const std::string& id) { return !exists(id) || passed(id); });
    if (!passed(t.id) && open) return t.id;
  }
  return {};
}

nlohmann::json as_json(const std::vector<task::Task>& tasks, const ProgressMap& progress, const std::string& next) {
  nlohmann::json out = nlohmann::json::array();
  for (const task::Task& t : tasks) {
    const auto it = progress.find(t.id);
    const store::Progress p = it == progress.end() ? store::Progress{} : it->second;
    out.push_back({{"id", t.id},
                   {"title", t.title.in("en")},
                   {"kind", t.kind == task::TaskKind::kLesson ? "lesson" : "exercise"},
                   {"level", t.level},
                   {"requires", t.requires_ids},
                   {"attempts", p.attempts},
                   {"points", p.best_points},
                   {"passed", p.passed},
                   {"medal", p.medal},
                   {"hint_level", p.hint_level},
                   {"solution_opened", p.solution_opened}});
  }
  return {{"tasks", out}, {"next", next}};
}

std::string state_of(const store::Progress& p, const report::Style& style) {
  if (p.passed) return style.paint(report::Ink::kGreen, report::pad(fmt::format("passed {:.4g}", p.best_points), 14));
  if (p.attempts > 0) return style.paint(report::Ink::kYellow, report::pad(fmt::format("{:.4g} of 10", p.best_points), 14));
  return style.paint(report::Ink::kDim, report::pad("-", 14));
}

}  // namespace

Exit list(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge list", "Progress, medals, and what is next.");
  words.add_options()("json", "as JSON on stdout")("help", "this text");
  const Result<cxxopts::ParseResult> parsed = parse(words, arguments);
  if (!parsed) return usage(parsed.error());
  if (parsed->count("help") > 0) return help(words);
  const Result<std::vector<task::Task>> tasks = find_tasks(context, {});
  if (!tasks) return usage(tasks.error());
  const ProgressMap progress = known_progress(context);
  const std::string next = next_task(*tasks, progress);
  if (parsed->count("json") > 0) {
    say(as_json(*tasks, progress, next).dump(2) + "\n");
    return Exit::kAccepted;
  }
  for (const task::Task& t : *tasks) {
    const auto it = progress.find(t.id);
    const store::Progress p = it == progress.end() ? store::Progress{} : it->second;
    say(fmt::format("{} {} {}{}{}\n", t.id == next ? "->" : "  ", report::pad(t.id, 20), state_of(p, context.out),
                    t.title.in(context.language), p.medal ? context.out.paint(report::Ink::kYellow, "  medal") : ""));
  }
  if (!next.empty()) say(fmt::format("\nNext: judge show {}   judge start {}\n", next, next));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
