// judge new: a folder with which an author begins. It starts from a task that computes the same operator, whose kernels, cases and
// submissions work from the first minute: an author changes what differs, and the gate says at any time what no longer fits.
#include <fmt/format.h>

#include <algorithm>
#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/new_text.hpp"
#include "judge/grade/verify.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/lint/lint.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::commands {
namespace {

namespace fs = std::filesystem;
using task::TaskKind;

bool is_slug(const std::string& text) {
  const auto good = [](unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), good) && text.front() != '-';
}

/// The simplest task that computes the operator: one of the wanted kind if there is one, and the one of the lowest level.
const task::Task* donor_for(const NewTask& wanted, const std::vector<task::Task>& tasks) {
  const task::Task* best = nullptr;
  const auto rank = [&](const task::Task& t) { return std::pair(t.kind != wanted.kind, t.level); };
  for (const task::Task& t : tasks)
    if (t.operator_name == wanted.op->name() && (best == nullptr || rank(t) < rank(*best))) best = &t;
  return best;
}

/// Collects files and writes them all, or says why one cannot be.
class Folder {
 public:
  void add(const fs::path& file, std::string text) { files_.emplace_back(file, std::move(text)); }
  /// Copies the .cu files of a folder.
  Status add_all(const fs::path& from, const fs::path& to) {
    for (const fs::path& file : task::submissions_in(from)) {
      Result<std::string> text = read_file(file);
      if (!text) return text.error();
      add(to / file.filename(), std::move(*text));
    }
    return Done{};
  }
  Status write() const {
    for (const auto& [file, text] : files_)
      if (Status ok = write_file(file, text); !ok) return ok;
    return Done{};
  }

 private:
  std::vector<std::pair<fs::path, std::string>> files_;
};

struct Places {
  fs::path task, solutions;  ///< of a lesson both are the same
  fs::path starter() const { return task / (task == solutions ? "exercise.cu" : "starter.cu"); }
};

Places places(const Context& context, const NewTask& wanted) {
  if (wanted.kind == TaskKind::kLesson) return {context.root / "lessons" / wanted.id, context.root / "lessons" / wanted.id};
  return {context.root / "exercises" / wanted.id, context.root / "solutions" / wanted.id};
}

std::string first_region(const std::string& source) {
  constexpr std::string_view kMarker = "// region ";
  for (const std::string& line : split_lines(source))
    if (line.starts_with(kMarker)) return line.substr(kMarker.size());
  return {};
}

constexpr const char* kNothingYet = "  return;  // TODO: compute the row\n";

Status from_donor(const NewTask& wanted, const task::Task& donor, const Places& at, Folder& folder) {
  const Result<std::string> manifest = read_file(task::manifest_file(donor));
  const Result<std::string> solution = read_file(donor.solution), starter = read_file(donor.starter);
  for (const auto* text : {&manifest, &solution, &starter})
    if (!*text) return text->error();
  folder.add(at.task / task::manifest_name(wanted.kind), manifest_from(wanted, *manifest, donor));
  folder.add(at.solutions / "solution.cu", *solution);
  folder.add(at.starter(), donor.kind == wanted.kind ? *starter : first_source(wanted, kNothingYet));
  if (Status ok = folder.add_all(donor.wrong_folder, at.solutions / "wrong"); !ok) return ok;
  if (Status ok = folder.add_all(donor.correct_folder, at.solutions / "correct"); !ok) return ok;
  folder.add(at.task / task::text_name(wanted.kind), text_to_write(wanted, first_region(*solution)));
  return Done{};
}

void from_nothing(const NewTask& wanted, const Places& at, Folder& folder) {
  const bool lesson = wanted.kind == TaskKind::kLesson;
  const std::string solution = first_source(wanted, kNothingYet);
  folder.add(at.task / task::manifest_name(wanted.kind), first_manifest(wanted));
  folder.add(at.solutions / "solution.cu", solution);
  folder.add(at.starter(), lesson ? first_source(wanted, "") : solution);
  for (int i = 1; i <= grade::kLeastWrong; ++i)
    folder.add(at.solutions / "wrong" / fmt::format("todo-{}.cu", i), first_wrong_header() + solution);
  for (int i = 1; i <= grade::kLeastCorrect; ++i)
    folder.add(at.solutions / "correct" / fmt::format("todo-{}.cu", i), first_correct_header() + solution);
  folder.add(at.task / task::text_name(wanted.kind), text_to_write(wanted, lesson ? "kernel" : ""));
}

/// What stands in the new folder and what is left to do, as lint sees it.
void tell(const Context& context, const NewTask& wanted, const task::Task* donor) {
  const Places at = places(context, wanted);
  say(fmt::format("{} is there", shown_path(context, at.task)));
  if (donor != nullptr) say(fmt::format(", with cases, kernels and submissions of {}: change what differs\n", donor->id));
  if (donor == nullptr) say(fmt::format("; no task computes {} yet, so its kernels compute nothing yet\n", wanted.op->name()));
  const Result<task::Task> made = find_task(context, wanted.id);
  if (!made) return complain(made.error().text() + "\n");
  say("\nleft to write:\n");
  for (const lint::Note& note : lint::lint(*made, {context.root, false}))
    say(fmt::format("  {}\n", lint::line_of(note, shown_path(context, note.where.file))));
  say(
      fmt::format("\nThe way: lessons/README.md, \"Writing a lesson\". At any time: judge verify {0}   judge lint {0}\n"
                  "The kill matrix in its README.md is written by judge verify {0} --write-matrix\n",
                  wanted.id));
}

Result<NewTask> understood(const cxxopts::ParseResult& parsed) {
  NewTask wanted;
  const auto kind = parsed.count("kind") > 0 ? parsed["kind"].as<std::string>() : std::string();
  if (kind != "lesson" && kind != "exercise")
    return Error{fmt::format("'{}' cannot be made, expected: judge new lesson|exercise SLUG", kind)};
  wanted.kind = kind == "lesson" ? TaskKind::kLesson : TaskKind::kExercise;
  if (parsed.count("slug") == 0) return Error{fmt::format("new {} needs a name: judge new {} 22-row-product", kind, kind)};
  wanted.id = parsed["slug"].as<std::string>();
  if (!is_slug(wanted.id))
    return Error{fmt::format("'{}' is no name for a folder, expected lower-case letters, digits and '-'", wanted.id)};
  const auto name = parsed["operator"].as<std::string>();
  wanted.op = operators::find_operator(name);
  if (wanted.op == nullptr)
    return Error{fmt::format("--operator is '{}', expected one of {}; a new one is a file of common/operators", name,
                             fmt::join(operators::operator_names(), ", "))};
  return wanted;
}

}  // namespace

Exit new_task(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge new", "Makes the folder of a new lesson or open problem and says what is left to write.");
  words.add_options()("operator", "what it computes: a name in common/operators", cxxopts::value<std::string>()->default_value("softmax"))(
      "help", "this text")("kind", "", cxxopts::value<std::string>())("slug", "", cxxopts::value<std::string>());
  words.parse_positional({"kind", "slug"});
  words.positional_help("lesson|exercise SLUG");
  const Result<cxxopts::ParseResult> parsed = parse(words, arguments);
  if (!parsed) return usage(parsed.error());
  if (parsed->count("help") > 0) return help(words);
  const Result<NewTask> wanted = understood(*parsed);
  if (!wanted) return usage(wanted.error());
  const Places at = places(context, *wanted);
  std::error_code ignored;
  for (const fs::path& folder : {at.task, at.solutions})
    if (fs::exists(folder, ignored)) return usage({"is there already, expected a new name", {shown_path(context, folder)}, {}});

  Folder folder;
  // A manifest that is broken somewhere else is said and is no reason not to begin.
  const task::ReadTasks known = task::read_tasks(context.root);
  for (const task::BrokenTask& broken : known.broken)
    complain(fmt::format("warning: {} is left out: {}\n", broken.folder.id, broken.error.text()));
  const task::Task* donor = donor_for(*wanted, known.tasks);
  if (donor == nullptr) from_nothing(*wanted, at, folder);
  if (donor != nullptr)
    if (Status ok = from_donor(*wanted, *donor, at, folder); !ok) return could_not(ok.error());
  if (wanted->kind == TaskKind::kLesson) folder.add(at.task / "figure.svg", figure_to_draw(*wanted));
  if (Status ok = folder.write(); !ok) return could_not(ok.error());
  tell(context, *wanted, donor);
  return Exit::kAccepted;
}

}  // namespace warpbook::commands
