// judge watch: a verdict at every save. Each one comes from `judge run` itself, called as a function, so that what is watched and what is
// graded cannot differ; parts that did not change are found in the compile cache. A save during a run waits for its end and then has a
// run of its own.
//
// Where there is a GPU, a verdict comes at two speeds: first the virtual one's, which says most, then whether hardware agrees, and what it
// takes there.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cxxopts.hpp>

#include "judge/base/files.hpp"
#include "judge/commands/command.hpp"
#include "judge/commands/grading.hpp"
#include "judge/commands/hint_text.hpp"
#include "judge/commands/submitted.hpp"
#include "judge/commands/two_looks.hpp"
#include "judge/gpu/driver.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/result_json.hpp"
#include "judge/learner/next_hint.hpp"
#include "judge/learner/open_progress.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/run/interrupt.hpp"
#include "judge/task/compulsory.hpp"
#include "judge/toolchain/scratch.hpp"
#include "judge/watch/file_watcher.hpp"
#include "judge/watch/keys.hpp"

namespace warpbook::commands {
namespace {

constexpr std::uint64_t kLargestReport = 64u << 20;
constexpr const char* kSecondsOfWatch = "0.5";  // for a glance; judge bench takes its time

class Watching {
 public:
  Watching(const Context& context, task::Task task) : context_(context), task_(std::move(task)), keys_(STDIN_FILENO) {}

  Exit until_the_end() {
    if (!begin()) return Exit::kCouldNot;
    while (!run::interrupted() && !keys_.closed()) {
      wait();
      if (watcher_->saved()) {
        clear_footer();
        judge();
      }
      while (const auto key = keys_.pressed())
        if (!obey(*key)) return Exit::kAccepted;
    }
    clear_footer();
    return Exit::kAccepted;
  }

 private:
  /// Makes the learner's file when it is not there yet, watches it, and gives a first verdict.
  bool begin() {
    std::error_code ignored;
    if (!std::filesystem::exists(work_file(context_, task_), ignored) && start(context_, {task_.id}) != Exit::kAccepted) return false;
    watcher_.emplace(work_file(context_, task_), watch::FileWatcher::wanted_way());
    judge();
    return true;
  }

  /// Until a key, a save, a signal, or the time to look again.
  void wait() const {
    pollfd ready[] = {{keys_.descriptor(), POLLIN, 0}, {watcher_->descriptor(), POLLIN, 0}, {run::interrupt_descriptor(), POLLIN, 0}};
    ::poll(ready, std::size(ready), static_cast<int>(watcher_->patience().count()));
  }

  void judge() {
    // The terminal is as it was while something runs: whatever ends the program then, finds nothing to repair.
    keys_.pause();
    if (gpu_) judge_twice();
    else run(context_, {task_.id});
    keys_.resume();
    footer();
  }

  /// On the virtual GPU as always; then on the real one, which is not recorded, and its time when there is nothing to complain of.
  void judge_twice() {
    const Result<toolchain::Scratch> scratch = toolchain::Scratch::make(context_.cache());
    if (!scratch) return complain(scratch.error().text() + "\n");
    const std::string report = (scratch->folder() / "first.json").string();
    run(context_, {task_.id, "--device", "vgpu", "--json", report});
    const Result<std::string> text = read_file(report, kLargestReport);
    const Result<grade::SubmissionResult> first = text ? grade::submission_from_text(*text) : Result<grade::SubmissionResult>(text.error());
    // Nothing ran there: it will not run here.
    if (!first || first->cases.empty() || run::interrupted()) return;
    const Result<grade::SubmissionResult> second = look_again();
    if (run::interrupted()) return;
    if (!second) return complain(second.error().text() + "\n");
    say(second_look(*first, *second));
    const task::Case* telling = task::telling_case(task_);
    if (second->verdict == grade::Verdict::kAccepted && telling != nullptr)
      bench(context_, {task_.id, "--case", telling->name, "--seconds", kSecondsOfWatch});
  }

  Result<grade::SubmissionResult> look_again() {
    cxxopts::Options words("judge watch");
    GradingWords grading;
    grading.declare(words);
    words.add_options()("file", "", cxxopts::value<std::string>())("solution", "")("author", "");
    const Result<cxxopts::ParseResult> parsed = parse(words, {"--device", "gpu"});
    if (!parsed) return parsed.error();
    const Result<grade::GradeOptions> options = grading.options(context_, *parsed, learner::random_seed());
    if (!options) return options.error();
    const Result<Submitted> submitted = read_submitted(context_, task_, *parsed);
    if (!submitted) return submitted.error();
    return grade::grade_code(task_, submitted->submission, *options);
  }

  void footer() {
    if (run::interrupted()) return;
    const std::string file = shown_path(context_, work_file(context_, task_));
    const std::string keys = keys_.listening() ? "   h hint   n next task   s source with counts   q quit" : "   Ctrl-C ends";
    say(context_.out.paint(report::Ink::kDim, fmt::format("watching {}{}", file, keys)));
    if (!keys_.listening()) say("\n");
    footer_shown_ = keys_.listening();
  }

  void clear_footer() {
    if (footer_shown_) say("\r\x1b[K");
    footer_shown_ = false;
  }

  /// False: the end.
  bool obey(char key) {
    switch (key) {
      case 'q':
      case '\x04':  // Ctrl-D
        clear_footer();
        return false;
      case 'h': return show([&] { hint_key(); });
      case 's': return show([&] { source_key(); });
      case 'n': next_key(); return true;
      default: return true;
    }
  }

  template <class Text>
  bool show(const Text& text) {
    clear_footer();
    text();
    footer();
    return true;
  }

  void hint_key() {
    const Result<std::shared_ptr<store::Store>> store = learner::open_progress(context_);
    if (!store) return complain(store.error().text() + "\n");
    const task::Blank* blank = learner::blank_for_hint(task_, "", **store);
    if (blank == nullptr) return say(fmt::format("{} has no blanks, and so no hints\n", task_.id));
    const Result<std::string> text = next_hint_text(context_, task_, *blank, **store);
    if (!text) return complain(text.error().text() + "\n");
    say("\n" + *text + "\n");
  }

  void source_key() {
    const task::Case* c = task::telling_case(task_);
    if (c == nullptr) return;
    keys_.pause();
    run(context_, {task_.id, "--meters", "--no-advice", "--case", c->name});
    keys_.resume();
  }

  void next_key() {
    const auto tasks = find_tasks(context_, {});
    clear_footer();
    const auto here = !tasks ? std::vector<task::Task>::const_iterator()
                             : std::find_if(tasks->begin(), tasks->end(), [&](const task::Task& t) { return t.id == task_.id; });
    if (!tasks || here == tasks->end() || here + 1 == tasks->end()) {
      say(tasks ? fmt::format("{} is the last task\n", task_.id) : tasks.error().text() + "\n");
      return footer();
    }
    task_ = *(here + 1);
    say(fmt::format("\n{}  {}\nits text: judge show {}\n\n", context_.out.paint(report::Ink::kBold, task_.id),
                    task_.title.in(context_.language), task_.id));
    begin();
  }

  const Context& context_;
  task::Task task_;
  watch::Keys keys_;
  std::optional<watch::FileWatcher> watcher_;
  bool gpu_ = gpu::find_gpu().has_value();
  bool footer_shown_ = false;
};

}  // namespace

Exit watch(const Context& context, const Arguments& arguments) {
  cxxopts::Options words("judge watch",
                         "Grades work/TASK/exercise.cu at every save. Keys: h hint, n next task, s source with counts, q quit.\n"
                         "Where there is a GPU it is asked too, behind the virtual one.\n"
                         "WARPBOOK_WATCH=poll looks at the file several times a second instead of waiting for the system to tell.");
  words.parse_positional({"task"});
  words.positional_help("TASK");
  TaskCommand command = begin_task_command(context, "watch", words, arguments);
  if (!command.task) return command.exit;
  return Watching(context, std::move(*command.task)).until_the_end();
}

}  // namespace warpbook::commands
