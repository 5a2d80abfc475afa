#include "judge/serve/run_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "judge/base/descriptor.hpp"
#include "judge/base/hash.hpp"
#include "judge/base/text.hpp"
#include "judge/run/process.hpp"
#include "judge/serve/judge_child.hpp"
#include "judge/store/remote_store.hpp"

namespace warpbook::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kEventsDescriptor = 3, kStoreDescriptor = 4;
constexpr std::chrono::milliseconds kUntilKilled{2000};
constexpr int kLookMs = 10;
/// A result holds the meters of every case; a line beyond this is none of ours.
constexpr std::size_t kLongestLine = 64u << 20;

/// The words of `judge run` beyond task and file.
void add_words(const RunOrder& order, run::Command& command) {
  command.argv.insert(command.argv.end(), {"--events", std::to_string(kEventsDescriptor)});
  for (const std::string& name : order.cases) command.argv.insert(command.argv.end(), {"--case", name});
  if (order.meters) command.argv.emplace_back("--meters");
  if (!order.seed_file.empty()) command.argv.insert(command.argv.end(), {"--seed-file", order.seed_file.string()});
  // Further cases are run beside all of the task's only.
  if (!order.overlay.empty() && order.cases.empty()) command.argv.insert(command.argv.end(), {"--overlay", order.overlay.string()});
}

/// The server's side of a run's store: a thread that answers what the program asks, and says so when an attempt is not on record.
class StoreServing {
 public:
  StoreServing(const RunOrder& order, const StoreWaiting& waiting, int cancel, const std::function<void(RunEvent)>& tell)
      : store_(order.workbook.progress, waiting.patience,
               {waiting.reachable,
                [&tell] {
                  tell({"advice", {{"doing", "waiting for the database, to record what was judged"}}});
                },
                [&tell](const Error& error) {
                  tell({"unrecorded", {{"message", error.what}}});
                },
                [cancel](std::chrono::milliseconds patience) {
                  pollfd watched{cancel, POLLIN, 0};
                  return ::poll(&watched, 1, static_cast<int>(patience.count())) > 0;
                }}) {}
  ~StoreServing() { end(); }
  StoreServing(const StoreServing&) = delete;
  StoreServing& operator=(const StoreServing&) = delete;

  bool open() { return sockets_.open(SOCK_STREAM); }
  /// The program's end of the socket.
  int child_end() const { return sockets_.child.get(); }
  /// Answers from here on; the program has its end by now, and it is closed here.
  void begin() {
    sockets_.child.reset();
    thread_ = std::thread([this] { [[maybe_unused]] const Status ended = store::answer_store(sockets_.judge.get(), store_); });
  }
  /// The program is gone, or soon will be. A call that is being answered is finished.
  void end() {
    if (!thread_.joinable()) return;
    ::shutdown(sockets_.judge.get(), SHUT_RDWR);
    thread_.join();
  }

 private:
  PatientStore store_;
  SocketPair sockets_;
  std::thread thread_;
};

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
  hash.add("task", task)
      .add("text", text)
      .add("language", workbook.language)
      .add("meters", meters ? "1" : "0")
      .add("owner", std::to_string(owner));
  for (const std::string& name : cases) hash.add("case", name);
  return hash.hex();
}

RunEnd run_child(const RunOrder& order, const StoreWaiting& waiting, int cancel, const std::function<void(RunEvent)>& tell) {
  Result<JudgeChild> judge = judge_child(order.workbook, "run", order.task, order.file, order.text);
  if (!judge) return {RunEnding::kFailed, judge.error().text()};
  Pipe pipe;
  if (!pipe.open()) return {RunEnding::kFailed, "no pipe for a run can be made"};
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  add_words(order, judge->command);
  judge->command.pass = {{pipe.write.get(), kEventsDescriptor}};
  std::optional<StoreServing> serving;
  if (order.workbook.progress) {
    serving.emplace(order, waiting, cancel, tell);
    if (!serving->open()) return {RunEnding::kFailed, "no socket for a run can be made"};
    judge->command.argv.insert(judge->command.argv.end(), {"--store-descriptor", std::to_string(kStoreDescriptor)});
    judge->command.pass.emplace_back(serving->child_end(), kStoreDescriptor);
  }
  Result<run::Child> child = run::Child::start(judge->command);
  if (!child) return {RunEnding::kFailed, child.error().text()};
  pipe.write.reset();
  if (serving) serving->begin();
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
  const std::string reason = reason_of(outcome);
  // Of a learner of a class: what the judge says may name cases and files of the instructor's. It goes to whoever runs the server.
  if (order.owner > 0) {
    std::fputs(fmt::format("run of {} by person {}: {}\n", order.task, order.owner, reason).c_str(), stderr);
    return {RunEnding::kFailed,
            "the judge could not run this task; your file is as it was. Tell your instructor: the server's log says why"};
  }
  return {RunEnding::kFailed, reason};
}

}  // namespace warpbook::serve
