// With a real toolkit. On a machine without one each case says that it did not run, and why.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/toolchain/compile.hpp"

using namespace warpbook;
using namespace warpbook::toolchain;
namespace fs = std::filesystem;

namespace {

const char* const kKernel =
    "namespace {\n"
    "template <class T>\n"
    "__global__ void scale(const T* x, T* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = x[i] * FACTOR;\n"
    "}\n"
    "}  // namespace\n"
    "void launch(const float* x, float* y, int n, cudaStream_t stream) {\n"
    "  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);\n"
    "}\n";

std::string with_factor(const std::string& factor) {
  const std::string text = kKernel, mark = "FACTOR";
  const std::size_t at = text.find(mark);
  return text.substr(0, at) + factor + text.substr(at + mark.size());
}

/// A toolkit and an empty cache; nothing where there is no nvcc.
struct Bench {
  Toolkit toolkit;
  CompileOptions options;
  static std::optional<Bench> set_up() {
    const Result<Toolkit> toolkit = find_toolkit();
    if (!toolkit) {
      WARN("not run: " << toolkit.error().what);
      return std::nullopt;
    }
    Bench bench{*toolkit, {}};
    bench.options.cache = fs::temp_directory_path() / ("warpbook nvcc \xe4\xb8\xad " + std::to_string(::getpid()));
    fs::remove_all(bench.options.cache);
    return bench;
  }
  CompileOutcome compile(const std::string& text, const std::string& host_key = {}) const {
    Source source;
    source.shown_name = "work/05 \xe5\xb1\x82/ex.cu";
    source.text = text;
    source.glue = "extern \"C\" void warpbook_launch(const float* x, float* y, int n, cudaStream_t s) { launch(x, y, n, s); }";
    source.host_key = host_key;
    return toolchain::compile(toolkit, source, options);
  }
  void clean() const { fs::remove_all(options.cache); }
};

/// The name behind the first `.entry` of PTX text.
std::string kernel_name(const std::string& ptx) {
  const std::string mark = ".entry ";
  const std::size_t begin = ptx.find(mark) + mark.size();
  return ptx.substr(begin, ptx.find('(', begin) - begin);
}

std::string bytes_of(const fs::path& path) { return read_file(path, 1u << 24).value(); }

void require_ok(const CompileOutcome& outcome) {
  if (outcome.ok) return;
  std::string all = outcome.failure.summary;
  for (const Diagnostic& one : outcome.failure.diagnostics) all += fmt::format("\n{}", one.text());
  FAIL(all);
}

}  // namespace

TEST_CASE("nvcc: a kernel is compiled, and a changed one keeps its name and its host half") {
  const auto bench = Bench::set_up();
  if (!bench) return;
  const CompileOutcome first = bench->compile(with_factor("2"), "scale");
  require_ok(first);
  const std::string ptx = bytes_of(first.artifact.ptx);
  CHECK(ptx.find(".target sm_80") != std::string::npos);
  CHECK(ptx.find("work/05 \\345\\261\\202/ex.cu\"") != std::string::npos);
  CHECK(ptx.find("tmp-") == std::string::npos);
  const std::string library = bytes_of(first.artifact.library);
  CHECK(library.find(".target sm_80") != std::string::npos);  // not compressed
  CHECK(library.find(fmt::format("libcudart.so.{}", bench->toolkit.major)) != std::string::npos);
  CHECK(library.find("warpbook_launch") != std::string::npos);

  const CompileOutcome changed = bench->compile(with_factor("3"), "scale");
  require_ok(changed);
  CHECK(changed.artifact.host_from_cache);
  const std::string changed_ptx = bytes_of(changed.artifact.ptx);
  CHECK(changed_ptx != ptx);
  CHECK(kernel_name(changed_ptx) == kernel_name(ptx));
  CHECK(kernel_name(ptx).find("GLOBAL__N__") != std::string::npos);  // it would carry a hash of the file, did we not name the module
  CHECK(library.find(kernel_name(ptx)) != std::string::npos);
  CHECK(bytes_of(changed.artifact.library).find("0f40400000") != std::string::npos);  // 3.0f, in the image
  CHECK(bench->compile(with_factor("3"), "scale").artifact.from_cache);
  bench->clean();
}

TEST_CASE("nvcc: a host half that no longer fits is compiled again") {
  const auto bench = Bench::set_up();
  if (!bench) return;
  require_ok(bench->compile(with_factor("2"), "scale"));
  // Another kernel on the same number of lines: the caller's key is wrong, and that is noticed.
  std::string renamed = with_factor("2");
  renamed.insert(renamed.find("}  // namespace"), "__global__ void more(float* x) { *x = 1; } ");
  const CompileOutcome outcome = bench->compile(renamed, "scale");
  require_ok(outcome);
  CHECK_FALSE(outcome.artifact.host_from_cache);
  bench->clean();
}

TEST_CASE("nvcc: errors stand in the learner's file, line and column") {
  const auto bench = Bench::set_up();
  if (!bench) return;
  const CompileOutcome undefined = bench->compile(with_factor("facto"));
  REQUIRE_FALSE(undefined.ok);
  CHECK(undefined.failure.learner);
  REQUIRE(undefined.failure.diagnostics.size() == 1);
  CHECK(undefined.failure.diagnostics[0].text() ==
        "work/05 \xe5\xb1\x82/ex.cu:5:28: error: identifier \"facto\" is undefined\n"
        "    5 |   if (i < n) y[i] = x[i] * facto;\n"
        "      |                            ^");
  std::string assembly = with_factor("2;\n  asm volatile(\"bogus.f32 %0;\" : : \"f\"(y[i]))");
  const CompileOutcome bogus = bench->compile(assembly);
  REQUIRE_FALSE(bogus.ok);
  CHECK(bogus.failure.learner);
  CHECK(bogus.failure.diagnostics.at(0).line == 6);
  const CompileOutcome shared =
      bench->compile(with_factor("2;\n  __shared__ float s[20000]; s[i] = y[i]; __syncthreads(); y[i] = s[i + 1]"));
  REQUIRE_FALSE(shared.ok);
  CHECK(shared.failure.diagnostics.at(0).message.find("uses too much shared data") != std::string::npos);
  CHECK(shared.failure.diagnostics.at(0).line == 3);
  bench->clean();
}

TEST_CASE("nvcc: where its commands are not known it does the work itself") {
  const auto bench = Bench::set_up();
  if (!bench) return;
  // A toolkit whose nvcc lists nothing, so that no plan can be made.
  const fs::path root = bench->options.cache.string() + " root";
  REQUIRE(write_file(root / "bin" / "nvcc",
                     "#!/bin/sh\n[ \"$1\" = --dryrun ] && exit 0\nexec '" + bench->toolkit.nvcc.string() + "' \"$@\"\n"));
  fs::permissions(root / "bin" / "nvcc", fs::perms::owner_all);
  fs::create_symlink(bench->toolkit.root / "bin" / "ptxas", root / "bin" / "ptxas");
  Bench plain = *bench;
  plain.toolkit.nvcc = root / "bin" / "nvcc";
  plain.toolkit.root = root;
  const CompileOutcome outcome = plain.compile(with_factor("2"), "scale");
  require_ok(outcome);
  const std::string library = bytes_of(outcome.artifact.library);
  CHECK(library.find(".target sm_80") != std::string::npos);
  CHECK(library.find("libcudart.so.") != std::string::npos);
  CHECK(kernel_name(bytes_of(outcome.artifact.ptx)).find("scale") != std::string::npos);
  const CompileOutcome undefined = plain.compile(with_factor("facto"));
  REQUIRE_FALSE(undefined.ok);
  CHECK(undefined.failure.learner);
  CHECK(undefined.failure.diagnostics.at(0).line == 5);
  bench->clean();
  fs::remove_all(root);
}

TEST_CASE("nvcc: a submission draws in nothing but what its folders hold, however the file is named") {
  const std::optional<Bench> set_up = Bench::set_up();
  if (!set_up) return;
  Bench bench = *set_up;
  const fs::path root = bench.options.cache / "root";
  REQUIRE(write_file(root / "common" / "scale.cuh", "#define FACTOR 2.0f\n"));
  REQUIRE(write_file(root / "solutions" / "scale.cuh", "#define FACTOR 3.0f\n"));
  fs::create_directories(bench.options.cache / "include");
  fs::create_directory_symlink(root / "common", bench.options.cache / "include" / "common");
  bench.options.include = {bench.options.cache / "include"};
  const std::string answer = (root / "solutions" / "scale.cuh").string();
  CHECK(bench.compile("#include \"common/scale.cuh\"\n#include <vector>\n#include <cub/cub.cuh>\n" + std::string(kKernel)).ok);
  for (const std::string& way : {std::string("#include \"common/../solutions/scale.cuh\"\n"), "#include \"" + answer + "\"\n",
                                 "#define WHERE \"" + answer + "\"\n#include WHERE\n", "# 1 \"unit.cu\" 3\n#include \"" + answer + "\"\n",
                                 "#ifdef __CUDA_ARCH__\n#define FACTOR 1.0f\n#else\n#include \"" + answer + "\"\n#endif\n"}) {
    INFO(way);
    const CompileOutcome outcome = bench.compile(way + kKernel);
    CHECK_FALSE(outcome.ok);
    CHECK(outcome.failure.learner);
    REQUIRE(outcome.failure.diagnostics.size() == 1);
    CHECK(outcome.failure.diagnostics[0].message ==
          "a submission may not include scale.cuh, expected headers of common/, the CUDA toolkit or the C++ library");
    CHECK(outcome.failure.diagnostics[0].line >= 1);
  }
  bench.clean();
}
