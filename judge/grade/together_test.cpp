#include "judge/grade/together.hpp"

#include <algorithm>
#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/grade/case_jobs.hpp"
#include "judge/grade/result_json.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/temporary_folder.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

/// Grading with a cache of its own, so that everything is compiled here.
struct TogetherHome {
  TogetherHome() {
    options.cache = cache.path();
    options.root = WARPBOOK_SOURCE_DIR;
    options.seed = 1;
    options.jobs = 2;
  }
  TemporaryFolder cache{"together"};
  GradeOptions options;
};

Submission author_file(const std::string& name, std::string text) {
  Submission s;
  s.shown_name = name;
  s.text = std::move(text);
  s.trusted_whole = true;
  return s;
}

/// The task, and `options` with a toolkit; nothing, and a word about it, where there is none.
std::optional<task::Task> task_to_compile(const std::string& id, GradeOptions& options) {
  const Result<toolchain::Toolkit> toolkit = toolchain::find_toolkit();
  if (!toolkit) {
    WARN("skipped: there is no nvcc");
    return std::nullopt;
  }
  options.toolkit = *toolkit;
  const task::ReadTasks read = task::read_tasks(WARPBOOK_SOURCE_DIR);
  const auto task = std::find_if(read.tasks.begin(), read.tasks.end(), [&](const task::Task& t) { return t.id == id; });
  REQUIRE(task != read.tasks.end());
  return *task;
}

/// What a case came to, but for its time and the addresses of its messages.
nlohmann::json essence_of(const CaseResult& result) {
  nlohmann::json out = to_json(result);
  out.erase("seconds");
  return out;
}

}  // namespace

TEST_CASE("what would mean something else in a namespace is compiled alone") {
  CHECK(fits_into_namespace("#include <cuda_runtime.h>\n  #  include \"a.cuh\"\n#pragma unroll 4\nint f();\n"));
  CHECK_FALSE(fits_into_namespace("#define WARP 32\n"));
  CHECK_FALSE(fits_into_namespace("  # if 1\n"));
  CHECK_FALSE(fits_into_namespace("#pragma once\n"));
  CHECK_FALSE(fits_into_namespace("extern \"C\" int f();\n"));
}

TEST_CASE("files compiled together do what they do alone") {
  TogetherHome home;
  const std::optional<task::Task> task = task_to_compile("05-layernorm", home.options);
  if (!task) return;
  std::vector<Submission> files;
  const auto add = [&](const fs::path& file) {
    const Result<std::string> text = read_file(file);
    REQUIRE(text);
    files.push_back(author_file(file.filename().string(), *text));
  };
  add(task->solution);
  for (const char* name : {"n-minus-one.cu", "one-warp-variance.cu", "divides-by-block.cu"}) add(task->wrong_folder / name);
  const std::size_t sound = files.size();
  REQUIRE(sound >= 3);
  files.push_back(author_file("macro.cu", "#define MACRO 1\n" + files[1].text));
  const std::vector<Built> together = build_together(*task, files, home.options);
  REQUIRE(together.size() == files.size());
  CHECK(together[0].artifact->library == together[1].artifact->library);
  CHECK(together[0].artifact->launch != together[1].artifact->launch);
  REQUIRE(together.back().artifact);
  CHECK(together.back().artifact->library != together[0].artifact->library);

  for (std::size_t i = 0; i < sound; ++i) {
    const Built alone = build_code(*task, files[i], home.options);
    REQUIRE(alone.artifact);
    REQUIRE(together[i].artifact);
    CHECK(together[i].artifact->hash == alone.artifact->hash);
    CHECK(together[i].artifact->hash == hash_of_build(*task, files[i], home.options));
    GradeOptions counting = home.options;
    counting.kernel_meters = true;
    const std::vector<CaseResult> here = run_cases(*task, *together[i].artifact, counting);
    const std::vector<CaseResult> there = run_cases(*task, *alone.artifact, counting);
    REQUIRE(here.size() == there.size());
    for (std::size_t c = 0; c < here.size(); ++c) {
      INFO(files[i].shown_name << " " << here[c].name);
      nlohmann::json mine = essence_of(here[c]), theirs = essence_of(there[c]);
      for (nlohmann::json* one : {&mine, &theirs})
        for (nlohmann::json& kernel : (*one)["kernels"]) kernel.erase("entry");  // mangled: it holds the namespace
      CHECK(mine == theirs);
    }
  }
}

TEST_CASE("an error in one file leaves the others as they are, and its messages are its own") {
  TogetherHome home;
  const std::optional<task::Task> task = task_to_compile("06-safe-softmax", home.options);
  if (!task) return;
  const Result<std::string> solution = read_file(task->solution);
  REQUIRE(solution);
  const std::vector<Built> built = build_together(
      *task, {author_file("good.cu", *solution), author_file("bad.cu", *solution + "\nint x = nothing_of_this_name;\n")}, home.options);
  REQUIRE(built[0].artifact);
  CHECK(built[0].artifact->launch == "warpbook_launch");
  CHECK_FALSE(built[1].artifact);
  CHECK(built[1].result.verdict == Verdict::kCompileError);
  REQUIRE_FALSE(built[1].result.findings.empty());
  CHECK(built[1].result.findings.front().file == "bad.cu");
  CHECK(built[1].result.findings.front().message.find("nothing_of_this_name") != std::string::npos);
}

}  // namespace warpbook::grade
