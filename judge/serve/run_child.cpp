#include "judge/serve/run_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "judge/base/descriptor.hpp"
#include "judge/base/hash.hpp"
#include "judge/base/text.hpp"
#include "judge/run/process.hpp"
#include "judge/serve/judge_child.hpp"

namespace warpbook::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kEventsDescriptor = 3;
constexpr std::chrono::milliseconds kUntilKilled{2000};
constexpr int kLookMs = 10;
/// A result holds the meters of every case; a line beyond this is none of ours.
constexpr std::size_t kLongestLine = 64u << 20;

/// The words of `judge run` beyond task and file.
void add_words(const RunOrder& order, run::Command& command) {
  command.argv.insert(command.argv.end(), {"--events", std::to_string(kEventsDescriptor)});
  for (const std::string& name : order.cases) command.argv.insert(command.argv.end(), {"--case", name});
  if (order.meters) command.argv.emplace_back("--meters");
}

/// Cuts what comes from the pipe into events.
class EventReader {
 public:
  EventReader(int descriptor, const std::function<void(RunEvent)>& tell) : descriptor_(descriptor), tell_(tell) {}

  /// False at the end.
  bool read() {
    char buffer[1 << 16];
    for (;;) {
      const ssize_t got = ::read(descriptor_, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno == EAGAIN;
      if (got == 0) return false;
      pending_.append(buffer, static_cast<std::size_t>(got));
      take_lines();
      if (pending_.size() > kLongestLine) return false;
    }
  }

  bool has_result() const { return has_result_; }

 private:
  void take_lines() {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      nlohmann::json line = nlohmann::json::parse(pending_.begin() + static_cast<std::ptrdiff_t>(begin),
                                                  pending_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      if (!line.is_object() || !line.contains("event") || !line["event"].is_string()) continue;
      RunEvent event{line["event"], line.value("data", nlohmann::json::object())};
      has_result_ = has_result_ || event.name == "result";
      tell_(std::move(event));
    }
    pending_.erase(0, begin);
  }

  int descriptor_;
  const std::function<void(RunEvent)>& tell_;
  std::string pending_;
  bool has_result_ = false;
};

/// Whether the process has ended; it is not reaped.
bool has_ended(int pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/// Interrupts, as Ctrl-C does, and waits a while; what is left then is killed by whoever destroys the child.
void interrupt(run::Child& child, EventReader& events) {
  ::kill(child.pid(), SIGINT);
  for (const auto until = Clock::now() + kUntilKilled; Clock::now() < until && !has_ended(child.pid());) {
    events.read();
    ::poll(nullptr, 0, kLookMs);
  }
}

std::string reason_of(const run::Outcome& outcome) {
  constexpr std::size_t kMostWords = 2000;
  std::string said(trimmed(outcome.err));
  if (said.size() > kMostWords) said = "..." + said.substr(said.size() - kMostWords);
  if (outcome.ending == run::Ending::kSignalled)
    return fmt::format("the judge ended by signal {}{}{}", outcome.code, said.empty() ? "" : ": ", said);
  return said.empty() ? fmt::format("the judge ended with status {} and without a result", outcome.code) : said;
}

}  // namespace

std::string RunOrder::key() const {
  HashBuilder hash;
  hash.add("task", task).add("text", text).add("language", language).add("meters", meters ? "1" : "0");
  for (const std::string& name : cases) hash.add("case", name);
  return hash.hex();
}

RunEnd run_child(const learner::Workbook& workbook, const RunOrder& order, int cancel, const std::function<void(RunEvent)>& tell) {
  learner::Workbook own = workbook;
  own.language = order.language;
  Result<JudgeChild> judge = judge_child(own, "run", order.task, order.file, order.text);
  if (!judge) return {RunEnding::kFailed, judge.error().text()};
  Pipe pipe;
  if (!pipe.open()) return {RunEnding::kFailed, "no pipe for a run can be made"};
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  add_words(order, judge->command);
  judge->command.pass = {{pipe.write.get(), kEventsDescriptor}};
  Result<run::Child> child = run::Child::start(judge->command);
  if (!child) return {RunEnding::kFailed, child.error().text()};
  pipe.write.reset();
  EventReader events(pipe.read.get(), tell);
  bool open = true;
  while (!child->poll()) {
    std::vector<pollfd> watched{{cancel, POLLIN, 0}};
    if (open) watched.push_back({pipe.read.get(), POLLIN, 0});
    for (const int fd : child->descriptors()) watched.push_back({fd, POLLIN, 0});
    ::poll(watched.data(), watched.size(), -1);
    if ((watched[0].revents & POLLIN) != 0) {
      interrupt(*child, events);
      if (!events.has_result()) return {RunEnding::kCancelled, {}};
      return {RunEnding::kResult, {}};
    }
    open = open && events.read();
  }
  if (open) events.read();
  if (events.has_result()) return {RunEnding::kResult, {}};
  const run::Outcome outcome = child->wait();
  if (outcome.ending == run::Ending::kInterrupted) return {RunEnding::kCancelled, {}};
  return {RunEnding::kFailed, reason_of(outcome)};
}

}  // namespace warpbook::serve
