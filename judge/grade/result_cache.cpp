#include "judge/grade/result_cache.hpp"

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/grade/result_json.hpp"
#include "judge/run/worker.hpp"
#include "judge/task/task_folder.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestProgram = std::uint64_t{256} << 20;
constexpr std::uint64_t kLargestResult = std::uint64_t{16} << 20;

/// A hash of the programs that decide a verdict, or nothing when one of them cannot be read.
std::optional<std::string> hash_of_the_judge() {
  const Result<run::WorkerFiles> files = run::find_worker_files();
  if (!files) return std::nullopt;
  HashBuilder all;
  std::error_code failed;
  std::vector<fs::path> programs = {"/proc/self/exe", files->worker, files->runtime};
  // The virtual GPU is a library beside the runtime's folder or below it, built more than once.
  const fs::path libraries = files->runtime.parent_path().parent_path();
  for (fs::recursive_directory_iterator at(libraries, failed), end; !failed && at != end; at.increment(failed))
    if (at->is_regular_file() && at->path().filename().string().find(".so") != std::string::npos) programs.push_back(at->path());
  if (failed) return std::nullopt;
  std::sort(programs.begin(), programs.end());
  for (const fs::path& program : programs) {
    // read_file refuses what is no regular file; the link in /proc leads to one.
    const fs::path real = fs::canonical(program, failed);
    const Result<std::string> bytes = read_file(failed ? program : real, kLargestProgram);
    if (!bytes) return std::nullopt;
    all.add("program", content_hash(*bytes));
  }
  return all.hex();
}

bool depends_on_speed(const CaseResult& c) { return c.reason == Reason::kCpuTime || c.reason == Reason::kWallClock; }

}  // namespace

ResultCache::ResultCache(fs::path folder, const task::Task& task, const GradeOptions& options) : folder_(std::move(folder)) {
  static const std::optional<std::string> judge = hash_of_the_judge();
  const Result<std::string> text = read_file(task::manifest_file(task));
  if (!judge || !text || options.device != DeviceKind::kVirtual) return;
  HashBuilder key;
  key.add("judge", *judge).add("task", task.id).add("manifest", *text).add("seed", std::to_string(options.seed));
  for (const std::string& name : options.only_cases) key.add("case", name);
  for (const task::Case& c : task.cases) key.add("has", c.name);
  if (options.schedule)
    key.add("order", std::to_string(static_cast<int>(options.schedule->order)) + " " + std::to_string(options.schedule->seed));
  key_ = key.hex();
}

fs::path ResultCache::file_of(const SubmissionResult& built, bool every_order) const {
  const std::string name =
      HashBuilder().add("key", key_).add("artifact", built.provenance.artifact_hash).add("orders", every_order ? "every" : "needed").hex();
  return folder_ / (name + ".json");
}

std::optional<SubmissionResult> ResultCache::find(const SubmissionResult& built, bool every_order) const {
  if (key_.empty()) return std::nullopt;
  const Result<std::string> text = read_file(file_of(built, every_order), kLargestResult);
  if (!text) return std::nullopt;
  Result<SubmissionResult> result = submission_from_text(*text);
  if (!result) return std::nullopt;
  return std::move(*result);
}

void ResultCache::keep(const SubmissionResult& result, bool every_order) const {
  if (key_.empty() || result.verdict == Verdict::kJudgeError || result.cases.empty()) return;
  if (std::any_of(result.cases.begin(), result.cases.end(), depends_on_speed)) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  // A result that cannot be kept is found out anew next time.
  [[maybe_unused]] const Status kept =
      write_file(file_of(result, every_order), to_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace warpbook::grade
