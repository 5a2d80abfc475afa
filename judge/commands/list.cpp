// Progress, medals, and what is next.
#include <fmt/format.h>

#include <cxxopts.hpp>
#include <nlohmann/json.hpp>

#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/learner/reached.hpp"

namespace warpbook::commands {
namespace {

using learner::ProgressMap;

/// A list is worth having without progress.
ProgressMap progress_or_warning(const Context& context) {
  const auto known = learner::known_progress(context);
  if (known) return *known;
  complain(fmt::format("warning: progress is not known: {}\n", known.error().text()));
  return {};
}

nlohmann::json as_json(const std::vector<task::Task>& tasks, const ProgressMap& progress, const std::string& next) {
  nlohmann::json out = nlohmann::json::array();
  for (const task::Task& t : tasks) {
    const store::Progress p = learner::progress_of(progress, t.id);
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
  const ProgressMap progress = progress_or_warning(context);
  const std::string next = learner::next_task(*tasks, progress);
  if (parsed->count("json") > 0) {
    say(as_json(*tasks, progress, next).dump(2) + "\n");
    return Exit::kAccepted;
  }
  for (const task::Task& t : *tasks) {
    const store::Progress p = learner::progress_of(progress, t.id);
    say(fmt::format("{} {} {}{}{}\n", t.id == next ? "->" : "  ", report::pad(t.id, 20), state_of(p, context.out),
                    t.title.in(context.language), p.medal ? context.out.paint(report::Ink::kYellow, "  medal") : ""));
  }
  if (!next.empty()) say(fmt::format("\nNext: judge show {}   judge start {}\n", next, next));
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
