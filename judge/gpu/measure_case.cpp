// The order of things, and why:
//
//   all memory is allocated and filled; the copies are measured a few times before the submission is there at all: if they are slower
//   beside it, something of it goes on while it is not asked;
//   each contestant is warmed up and asked how long a launch takes about, so that a round takes some milliseconds for every one;
//   turns: every contestant in an order of its own each time, one round of N launches and one of 2 N. Before a round of a kernel its
//   tensors are dealt anew. A contestant that is measured while the machine is hot, busy or slow has its rivals measured beside it;
//   behind every round a few rows of its last output and of another one must be written: a launch that did nothing is found, and a worker
//   that answers before its launches have ended;
//   behind rounds that the judge chose by chance the memory of a set is kept, and judged as `judge run` judges, once the clock is off.
#include "judge/gpu/measure_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <random>
#include <thread>

#include "judge/gpu/copy_sets.hpp"
#include "judge/gpu/tensor_sets.hpp"
#include "judge/gpu/worker_setting.hpp"
#include "judge/grade/worker_verdict.hpp"
#include "judge/run/timed_worker.hpp"
#include "judge/task/compulsory.hpp"

namespace warpbook::gpu {
namespace {

using WallClock = std::chrono::steady_clock;

constexpr double kRoundSeconds = 0.005;   // of N launches
constexpr double kEnoughToTell = 0.0005;  // for a first guess at a launch
constexpr std::uint32_t kMostLaunches = 4096;
constexpr std::uint64_t kMostRoom = std::uint64_t{16} << 30;  // for sets: dealing them takes time, too
constexpr int kFewestTurns = 9;
constexpr int kTimesAlone = 5;
constexpr int kKeptByChance = 2;  // sets that are kept in the middle, beside the last one
constexpr std::chrono::seconds kCpuOfTheStart{30};
constexpr std::chrono::milliseconds kLate{200};  // in which everything that was launched has ended

/// What the learner's host code may use: launches and waiting for them, which is done by looking again and again.
run::Limits limits_for(double seconds) {
  run::Limits limits = grade::worker_limits();
  limits.cpu = kCpuOfTheStart + std::chrono::milliseconds(static_cast<std::int64_t>(4000 * seconds));
  return limits;
}

/// One that is measured: whose worker, which group of sets, how many launches a round.
struct Runner {
  Contestant* record = nullptr;
  run::TimedWorker* worker = nullptr;
  std::uint32_t group = 0, sets = 1, launches = 1;
  TensorSets* tensors = nullptr;  ///< dealt before each round; null: nothing to deal
};

class CaseMeasurement {
 public:
  CaseMeasurement(const task::Task& task, const task::Case& c, const MeasureOptions& options, Measurement& out)
      : task_(task), case_(c), options_(options), out_(out), random_(std::random_device{}()) {}

  /// An error is the judge's failure; what the submission did is in the measurement.
  Status run() {
    Result<std::unique_ptr<Driver>> driver = Driver::open();
    if (!driver) return driver.error();
    driver_ = std::move(*driver);
    out_.l2_bytes = driver_->l2_bytes();
    open_clocks();
    if (Status ok = make_memory(); !ok) return ok;
    if (Status ok = start_copies(); !ok) return ok;
    if (Status ok = warm_up(0); !ok) return ok;
    if (Status ok = copy_alone(); !ok) return ok;
    const std::size_t copies = runners_.size();
    if (Status ok = start_kernels(); !ok) return ok;
    if (Status ok = warm_up(copies); !ok || ended_) return ok;
    if (Status ok = take_turns(); !ok || ended_) return ok;
    watch_clocks();
    for (const auto& worker : workers_) worker->finish();
    return check_kept();
  }

 private:
  void open_clocks() {
    Result<std::unique_ptr<Nvml>> nvml = Nvml::open(driver_->bus_id());
    if (nvml) nvml_ = std::move(*nvml);
    else out_.no_clocks = nvml.error().what;
  }

  void watch_clocks() {
    if (!nvml_) return;
    const Result<ClockReading> reading = nvml_->read();
    if (reading) out_.clocks.push_back(*reading);
    else out_.no_clocks = reading.error().what;
  }

  Status make_memory() {
    task::Case shape = case_;
    shape.rows = out_.rows;
    shape.cols = out_.cols;
    const std::optional<std::int64_t> bytes = task::compulsory_bytes(task_, shape);
    if (!bytes || *bytes <= 0) return Error{"nothing has to be moved in this case, so that there is no ceiling; measure another case"};
    out_.bytes = static_cast<std::uint64_t>(*bytes);
    const std::uint64_t room = std::min(driver_->free_bytes() / 4, kMostRoom);
    const SetCount count = sets_for(out_.bytes, out_.l2_bytes, room, kRoundSeconds);
    out_.sets = count.sets;
    Result<std::unique_ptr<TensorSets>> tensors = TensorSets::make(*driver_, task_, case_, options_.seed, count);
    if (!tensors) return tensors.error();
    tensors_ = std::move(*tensors);
    // As many as the kernels have: rotating through more memory costs more in translating addresses.
    Result<CopySets> copies = CopySets::make(*driver_, out_.bytes, count.sets);
    if (!copies) return copies.error();
    copies_.emplace(std::move(*copies));
    return tensors_->deal(0, 0, 0, random_);
  }

  Result<run::TimedWorker*> start(const std::filesystem::path& library, const std::string& launch, std::vector<run::ArgumentSets> groups) {
    const Result<run::WorkerFiles> files = run::find_worker_files();
    if (!files) return files.error();
    const Result<std::filesystem::path> runtime = find_nvidia_runtime(options_.toolkit_root);
    if (!runtime) return runtime.error();
    run::TimedRequest request;
    request.worker = files->worker;
    request.runtime = *runtime;
    request.submission = library;
    request.order.launch = launch;
    request.order.groups = std::move(groups);
    request.limits = limits_for(options_.seconds);
    request.environment = worker_environment();
    workers_.push_back(std::make_unique<run::TimedWorker>(std::move(request)));
    return workers_.back().get();
  }

  Status start_kernels() {
    const Result<run::ArgumentSets> sets = tensors_->arguments();
    if (!sets) return sets.error();
    const std::string launch = run::TimedOrder{}.launch;
    const Result<run::TimedWorker*> own = start(options_.own, launch, {*sets});
    if (!own) return own.error();
    own_ = *own;
    out_.own.name = options_.reference.empty() ? "the reference" : "the submission";
    runners_.push_back({&out_.own, own_, 0, out_.sets, 1, tensors_.get()});
    if (!options_.reference.empty()) {
      const Result<run::TimedWorker*> reference = start(options_.reference, launch, {*sets});
      if (!reference) return reference.error();
      out_.reference = Contestant{"the reference", {}};
      runners_.push_back({&*out_.reference, *reference, 0, out_.sets, 1, tensors_.get()});
    }
    return Done{};
  }

  Status copy_alone() {
    for (int i = 0; i < kTimesAlone; ++i)
      for (const Runner& runner : runners_)
        if (Status ok = measure_pair(runner, false, false); !ok) return ok;
    out_.copies_alone = out_.copies;
    out_.nothing.pairs.clear();
    for (Contestant& copy : out_.copies) copy.pairs.clear();
    return Done{};
  }

  /// A worker for all copies. Those that this GPU or this build does not have say so and are left out.
  Status start_copies() {
    Result<std::vector<run::ArgumentSets>> groups = copies_->arguments();
    if (!groups) return groups.error();
    const Result<run::TimedWorker*> started = start(options_.copies, kCopyLaunch, std::move(*groups));
    if (!started) return started.error();
    run::TimedWorker* const worker = *started;
    out_.nothing.name = name_of(CopyKind::kNothing);
    runners_.push_back({&out_.nothing, worker, 0, copies_->count(), 1, nullptr});
    constexpr std::int32_t kNotSupported = 801;  // cudaErrorNotSupported
    std::vector<CopyKind> there;
    for (const CopyKind kind : copy_kinds()) {
      if (Status ok = copies_->clear(); !ok) return ok;
      if (!worker->round({static_cast<std::uint32_t>(kind), 0, 1})) {
        if (worker->running() && worker->outcome().reply.launch_code == kNotSupported) continue;
        return Error{fmt::format("the copy by {} failed: {}", name_of(kind), words_of_end(*worker))};
      }
      const Result<bool> copied = copies_->holds_the_copy();
      if (!copied) return copied.error();
      if (!*copied) return Error{fmt::format("the copy by {} does not hold what was copied", name_of(kind))};
      there.push_back(kind);
    }
    for (const CopyKind kind : there) out_.copies.push_back({std::string(name_of(kind)), {}});
    for (std::size_t i = 0; i < there.size(); ++i)
      runners_.push_back({&out_.copies[i], worker, static_cast<std::uint32_t>(there[i]), copies_->count(), 1, nullptr});
    return Done{};
  }

  /// How a worker that could not go on ended, in words; `ours`: by our fault.
  static std::string words_of_end(run::TimedWorker& worker, bool* ours = nullptr) {
    const grade::BenchRun run = grade::judge_worker(worker.finish());
    if (ours != nullptr) *ours = run.verdict == grade::Verdict::kJudgeError || run.verdict == grade::Verdict::kAccepted;
    return run.verdict == grade::Verdict::kAccepted
               ? "its worker said no more"
               : fmt::format("{} {}: {}", grade::code_of(run.verdict), grade::code_of(run.reason), run.message);
  }

  /// A round of `launches`. Nothing when it could not be: then `ended_`, or the error says why.
  Result<std::optional<run::RoundTime>> round(const Runner& runner, std::uint32_t launches) {
    using Answer = std::optional<run::RoundTime>;
    const auto first = static_cast<std::uint32_t>(random_() % runner.sets);
    if (runner.tensors)
      if (Status ok = runner.tensors->deal(static_cast<std::uint32_t>(random_() % runner.sets), first, launches, random_); !ok)
        return ok.error();
    const Answer time = runner.worker->round({runner.group, first, launches});
    last_first_ = first;
    if (!time) {
      bool ours = false;
      const std::string how = words_of_end(*runner.worker, &ours);
      if (runner.worker != own_ || ours) return Error{fmt::format("{} could not be measured: {}", runner.record->name, how)};
      out_.wrong = how;
      ended_ = true;
      return Answer();
    }
    if (!runner.tensors) return time;
    // The last launch, for it ends last, and any other.
    std::uint32_t looked_at = 0;
    std::string unwritten;
    for (const std::uint64_t launch : {std::uint64_t{launches} - 1, random_() % launches}) {
      looked_at = static_cast<std::uint32_t>((first + launch) % runner.sets);
      const Result<std::string> found = runner.tensors->unwritten_in(looked_at, random_);
      if (!found) return found.error();
      unwritten = *found;
      if (!unwritten.empty()) break;
    }
    if (unwritten.empty()) return time;
    if (runner.worker != own_) return Error{fmt::format("{} left {} unwritten", runner.record->name, unwritten)};
    // Late, or never? A second look tells an early answer from a wrong one.
    std::this_thread::sleep_for(kLate);
    const Result<std::string> still = runner.tensors->unwritten_in(looked_at, random_);
    if (!still) return still.error();
    if (still->empty())
      out_.not_finished = fmt::format("{} was not written yet when the worker said that its launches had ended", unwritten);
    else out_.wrong = fmt::format("WA unwritten: in a timed launch: {} was never written", *still);
    ended_ = true;
    return Answer();
  }

  /// Of a kernel: so many that twice as many still come to each set once.
  static std::uint32_t most_launches(const Runner& runner) { return runner.tensors ? runner.sets / 2 : kMostLaunches; }

  /// The runners from `first` on.
  Status warm_up(std::size_t first) {
    for (std::size_t i = first; i < runners_.size(); ++i) {
      Runner& runner = runners_[i];
      const std::uint32_t most = most_launches(runner);
      for (std::uint32_t launches = 1;; launches = std::min(most, launches * 4)) {
        const auto once = round(runner, launches);
        if (!once) return once.error();
        if (ended_) return Done{};
        const auto twice = round(runner, 2 * launches);
        if (!twice) return twice.error();
        if (ended_) return Done{};
        const double difference = (*twice)->wall_seconds - (*once)->wall_seconds;
        runner.launches = launches_for(difference / launches, kRoundSeconds, most);
        // The very first launch loads code; it says nothing of the next.
        if ((difference >= kEnoughToTell && launches > 1) || launches == most || difference >= kRoundSeconds) break;
      }
    }
    return Done{};
  }

  Status take_turns() {
    const auto begun = WallClock::now();
    const auto spent = [&] { return std::chrono::duration<double>(WallClock::now() - begun).count(); };
    std::vector<int> kept_at;
    for (int i = 0; i < kKeptByChance; ++i) kept_at.push_back(static_cast<int>(random_() % kFewestTurns));
    for (int turn = 0; turn < kFewestTurns || spent() < options_.seconds; ++turn) {
      if (run::interrupted()) return Error{"interrupted"};
      watch_clocks();
      std::vector<Runner*> order;
      for (Runner& runner : runners_) order.push_back(&runner);
      std::shuffle(order.begin(), order.end(), random_);
      const bool last = turn + 1 >= kFewestTurns && spent() * (turn + 2) / (turn + 1) >= options_.seconds;
      for (Runner* const runner : order) {
        const bool keeps = last || std::find(kept_at.begin(), kept_at.end(), turn) != kept_at.end();
        if (Status ok = measure_pair(*runner, keeps, last); !ok || ended_) return ok;
      }
      if (last) break;
    }
    return Done{};
  }

  Status measure_pair(const Runner& runner, bool keeps, bool last) {
    // Which of the two rounds is looked at, nobody knows before.
    const bool keeps_once = random_() % 2 == 0;
    const auto once = round(runner, runner.launches);
    if (!once) return once.error();
    if (ended_) return Done{};
    if (keeps && keeps_once)
      if (Status ok = keep(runner, runner.launches, last); !ok) return ok;
    const auto twice = round(runner, 2 * runner.launches);
    if (!twice) return twice.error();
    if (ended_) return Done{};
    if (keeps && !keeps_once)
      if (Status ok = keep(runner, 2 * runner.launches, last); !ok) return ok;
    runner.record->pairs.push_back(
        {runner.launches, (*once)->wall_seconds, (*twice)->wall_seconds, (*once)->device_seconds, (*twice)->device_seconds});
    return Done{};
  }

  /// Keeps the memory of a set that the last round launched on. Of the reference only the last time.
  Status keep(const Runner& runner, std::uint32_t launches, bool last) {
    if (!runner.tensors || (runner.worker != own_ && !last)) return Done{};
    const auto one = static_cast<std::uint32_t>((last_first_ + random_() % launches) % runner.sets);
    Result<TensorSets::Snapshot> snapshot = runner.tensors->snapshot(one);
    if (!snapshot) return snapshot.error();
    kept_.push_back({runner.worker == own_, std::move(*snapshot)});
    return Done{};
  }

  Status check_kept() {
    std::vector<std::future<grade::CaseResult>> results;
    for (const Kept& kept : kept_)
      results.push_back(std::async(std::launch::async, [&] { return judge_snapshot(task_, case_, kept.snapshot); }));
    Status ok = Done{};
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const grade::CaseResult result = results[i].get();
      if (result.verdict == grade::Verdict::kJudgeError) ok = Error{result.message};
      if (kept_[i].own) ++out_.checked;
      if (result.verdict == grade::Verdict::kAccepted || !ok) continue;
      const std::string what = fmt::format("{} {}: {}", grade::code_of(result.verdict), grade::code_of(result.reason), result.message);
      if (!kept_[i].own) ok = Error{"the reference solution is wrong in a timed launch: " + what};
      else if (out_.wrong.empty()) out_.wrong = "in a timed launch: " + what;
    }
    return ok;
  }

  struct Kept {
    bool own = false;
    TensorSets::Snapshot snapshot;
  };

  const task::Task& task_;
  const task::Case& case_;
  const MeasureOptions& options_;
  Measurement& out_;
  std::mt19937_64 random_;  // seeded by chance: what is looked at must not be foreseen
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Nvml> nvml_;
  std::unique_ptr<TensorSets> tensors_;
  std::optional<CopySets> copies_;
  std::vector<std::unique_ptr<run::TimedWorker>> workers_;
  run::TimedWorker* own_ = nullptr;
  std::vector<Runner> runners_;
  std::vector<Kept> kept_;
  std::uint32_t last_first_ = 0;
  bool ended_ = false;  ///< the submission failed: the measurement says how
};

}  // namespace

Measurement measure_case(const task::Task& task, const task::Case& c, const MeasureOptions& options) {
  const auto begun = WallClock::now();
  Measurement out;
  out.case_name = c.name;
  out.rows = c.gpu_rows > 0 ? c.gpu_rows : c.rows;
  out.cols = c.gpu_cols > 0 ? c.gpu_cols : c.cols;
  if (Status ok = CaseMeasurement(task, c, options, out).run(); !ok) out.failed = ok.error().what;
  out.seconds = std::chrono::duration<double>(WallClock::now() - begun).count();
  return out;
}

double longest_measurement(double seconds) {
  constexpr double kBeforeAndAfter = 240;  // making inputs, opening memory, judging outputs; slow kernels take their fewest turns
  return kBeforeAndAfter + 2 * seconds;
}

}  // namespace warpbook::gpu
