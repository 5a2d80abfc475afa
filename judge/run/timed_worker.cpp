#include "judge/run/timed_worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpbook::run {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGlance{100};   // at limits that nothing announces
constexpr std::chrono::milliseconds kWhole{1000};   // from the first byte of a reply to its last
constexpr std::chrono::milliseconds kParting{200};  // for a worker that was hung up on

}  // namespace

TimedWorker::TimedWorker(TimedRequest request) : request_(std::move(request)) {
  if (start()) hear(request_.start_time);
}

bool TimedWorker::start() {
  if (!control_.open(SOCK_STREAM)) {
    end(WorkerEnding::kNotStarted, fmt::format("no socket for the worker: {}", std::strerror(errno)));
    return false;
  }
  Command command;
  command.argv = {request_.worker.string(), request_.runtime.string(), request_.submission.string()};
  command.inherit_environment = false;
  command.set_environment = request_.environment;
  command.pass = {{control_.child.get(), kControlDescriptor}};
  command.limits = request_.limits;
  command.limits.wall = std::chrono::milliseconds{0};
  Result<Child> child = Child::start(command);
  if (!child) {
    end(interrupted() ? WorkerEnding::kInterrupted : WorkerEnding::kNotStarted, child.error().text());
    return false;
  }
  child_ = std::move(*child);
  control_.child.reset();  // our copy of its end would keep the socket open after its death
  // A worker that is gone before its order came has said why: what it sent is still in the socket, and hear() finds it or its end.
  (void)send_timed_order(control_.judge.get(), request_.order);
  return true;
}

std::optional<RoundTime> TimedWorker::round(const Round& round) {
  if (!running()) return std::nullopt;
  const SteadyClock::time_point begun = SteadyClock::now();
  if (const Status sent = send_round(control_.judge.get(), round); !sent) {
    end(WorkerEnding::kExitedEarly);
    return std::nullopt;
  }
  const std::optional<RoundReply> reply = hear(request_.patience);
  if (!reply) return std::nullopt;
  outcome_.reply.launch_code = reply->launch_code;
  outcome_.reply.last_error = reply->last_error;
  outcome_.reply.synchronize_code = reply->synchronize_code;
  if (reply->last_error != 0 || reply->synchronize_code != 0) finish();
  if (!running() || reply->launch_code != 0) return std::nullopt;
  return RoundTime{std::chrono::duration<double>(heard_ - begun).count(), reply->device_seconds};
}

const WorkerOutcome& TimedWorker::finish() {
  if (running()) outcome_.reply.stage = WorkerStage::kFinished;
  end(WorkerEnding::kReplied);
  return outcome_;
}

/// False when the worker ended, or nothing came.
bool TimedWorker::wait_for_word(SteadyClock::time_point until) {
  while (!interrupted()) {
    std::vector<pollfd> watched = {{control_.judge.get(), POLLIN, 0}};
    for (const int fd : child_->descriptors()) watched.push_back({fd, POLLIN, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now());
    if (left.count() <= 0) return false;
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(std::min(left, kGlance).count()));
    heard_ = SteadyClock::now();
    if (ready > 0 && watched[0].revents != 0) return true;
    // What it sent before its end is still in the socket.
    if (child_->poll()) return ::poll(watched.data(), 1, 0) > 0;
  }
  return false;
}

/// The figures of a round; nothing after the reply "ready", and nothing when the worker is no more, which is the outcome then.
std::optional<RoundReply> TimedWorker::hear(std::chrono::milliseconds patience) {
  if (!wait_for_word(SteadyClock::now() + patience)) {
    end(interrupted() ? WorkerEnding::kInterrupted : child_->poll() ? WorkerEnding::kExitedEarly : WorkerEnding::kWallLimit);
    return std::nullopt;
  }
  device::Patience whole;
  whole.until = SteadyClock::now() + kWhole;
  Result<std::variant<RoundReply, WorkerReply>> word = receive_round_reply(control_.judge.get(), whole);
  if (!word) {
    end(word.error().what.empty() ? WorkerEnding::kExitedEarly : WorkerEnding::kViolation, word.error().what);
    return std::nullopt;
  }
  const bool ready_yet = outcome_.reply.stage == WorkerStage::kReady;
  if (const auto* figures = std::get_if<RoundReply>(&*word)) {
    if (ready_yet) return *figures;
    end(WorkerEnding::kViolation, "it told of a round before it was ready");
    return std::nullopt;
  }
  outcome_.reply = std::get<WorkerReply>(std::move(*word));
  if (outcome_.reply.stage == WorkerStage::kReady && !ready_yet) return std::nullopt;
  if (outcome_.reply.stage == WorkerStage::kReady || outcome_.reply.stage == WorkerStage::kFinished)
    end(WorkerEnding::kViolation, "it replied to what was not asked");
  else end(WorkerEnding::kReplied);
  return std::nullopt;
}

void TimedWorker::end(WorkerEnding ending, std::string message) {
  if (over_) return;
  over_ = true;
  outcome_.ending = ending;
  outcome_.message = std::move(message);
  if (!child_) return;
  control_.judge.reset();
  const auto until = SteadyClock::now() + kParting;
  while (!child_->poll() && SteadyClock::now() < until) {
    std::vector<pollfd> watched;
    for (const int fd : child_->descriptors()) watched.push_back({fd, POLLIN, 0});
    ::poll(watched.data(), watched.size(), 10);
  }
  const bool by_us = !child_->poll();
  if (by_us) child_->kill();
  Outcome process = child_->wait();
  outcome_.out = std::move(process.out);
  outcome_.err = std::move(process.err);
  outcome_.wall_seconds = process.wall_seconds;
  outcome_.cpu_seconds = process.cpu_seconds;
  outcome_.code = process.code;
  if (ending == WorkerEnding::kReplied) return;
  // Its own end explains more than what we saw of it.
  if (process.ending == Ending::kCpuLimit) outcome_.ending = WorkerEnding::kCpuLimit;
  else if (process.ending == Ending::kInterrupted) outcome_.ending = WorkerEnding::kInterrupted;
  else if (!by_us && process.ending == Ending::kSignalled) outcome_.ending = WorkerEnding::kCrashed;
}

}  // namespace warpbook::run
