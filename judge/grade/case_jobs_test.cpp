// A GPU does not tell who computed what lies in its memory: the virtual one is asked. Here it also stands in for the GPU, with its eyes
// shut.
#include "judge/grade/case_jobs.hpp"

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/vgpu_bench.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/temporary_folder.hpp"

namespace warpbook::grade {
namespace {

/// What a real GPU would say: it sees neither launches nor copies nor traffic.
class BlindBench : public Bench {
 public:
  explicit BlindBench(vgpu::ImagePointer image) {
    VgpuBenchOptions options;
    options.image = std::move(image);
    seeing_ = make_vgpu_bench(options);
  }
  std::int64_t red_zone_bytes() const override { return seeing_->red_zone_bytes(); }
  Result<device::Address> allocate(const std::string& name, std::uint64_t bytes) override { return seeing_->allocate(name, bytes); }
  Status write(device::Address to, std::span<const std::byte> from) override { return seeing_->write(to, from); }
  Status read(std::span<std::byte> to, device::Address from) override { return seeing_->read(to, from); }
  BenchRun run(const std::filesystem::path& library, const std::vector<Argument>& arguments) override {
    BenchRun run = seeing_->run(library, arguments);
    run.host_copies.reset();
    if (run.reason == Reason::kNoLaunch) run = {};
    return run;
  }
  std::optional<device::Traffic> traffic(device::Address) const override { return std::nullopt; }

 private:
  std::unique_ptr<Bench> seeing_;
};

SubmissionResult on_blind_gpu(const task::Task& task, const std::string& file, GradeOptions options) {
  Submission submission;
  submission.shown_name = file;
  submission.text = read_file(std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/tests/attacks" / file).value();
  submission.trusted_whole = true;
  options.device = DeviceKind::kGpu;
  const Built built = build_code(task, submission, options);
  REQUIRE(built.artifact);
  const Result<vgpu::ImagePointer> image = load_image(*built.artifact);
  REQUIRE(image);
  options.make_gpu_bench = [image] { return std::make_unique<BlindBench>(*image); };
  return grade_code(task, submission, options);
}

}  // namespace

TEST_CASE("a real GPU that is handed the answer of a CPU takes it for a kernel's, and the virtual one tells") {
  const Result<toolchain::Toolkit> toolkit = toolchain::find_toolkit();
  if (!toolkit) {
    WARN("skipped: there is no nvcc");
    return;
  }
  const TemporaryFolder cache("case-jobs");
  GradeOptions options;
  options.toolkit = *toolkit;
  options.cache = cache.path();
  options.root = WARPBOOK_SOURCE_DIR;
  options.seed = 1;
  options.only_cases = {"odd-stride"};  // its shape is the same on a GPU
  const Result<task::Task> task = task::find_task(WARPBOOK_SOURCE_DIR, "row-softmax");
  REQUIRE(task);

  const SubmissionResult alone = on_blind_gpu(*task, "tricks/cpu-alone.cu", options);
  REQUIRE(alone.cases.size() == 1);
  CHECK(alone.cases[0].reason == Reason::kNoLaunch);
  CHECK(alone.cases[0].message.find("(seen on the virtual GPU, at 3 x 1024)") != std::string::npos);
  CHECK_FALSE(alone.accepted);

  const SubmissionResult alibi = on_blind_gpu(*task, "tricks/cpu-with-alibi.cu", options);
  REQUIRE(alibi.cases.size() == 1);
  CHECK(alibi.cases[0].reason == Reason::kHostComputed);

  const SubmissionResult honest = on_blind_gpu(*task, "controls/plain.cu", options);
  REQUIRE(honest.cases.size() == 1);
  CHECK(honest.cases[0].verdict == Verdict::kAccepted);
}

}  // namespace warpbook::grade
