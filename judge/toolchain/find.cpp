#include "judge/toolchain/find.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>

#include "judge/run/process.hpp"

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatienceForVersion{20};  // a toolkit on a network drive that sleeps

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Error nothing_found(const Places& places) {
  const std::string home = places.cuda_home.empty()
                               ? fmt::format("is not set, and neither PATH nor {} has nvcc", places.usual_folder.string())
                               : fmt::format("is {}, where there is no bin/nvcc", places.cuda_home);
  return Error{
      fmt::format("nvcc was not found: install NVIDIA's CUDA Toolkit, version {} or newer\n"
                  "then let CUDA_HOME point at its folder: now CUDA_HOME {}",
                  kOldestMajor, home)};
}

Error unusable(const fs::path& nvcc, const std::string& why) {
  return Error{
      fmt::format("{} {}: install NVIDIA's CUDA Toolkit, version {} or newer\n"
                  "then let CUDA_HOME point at its folder (asked are CUDA_HOME, PATH and /usr/local/cuda, in this order)",
                  nvcc.string(), why, kOldestMajor)};
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

Result<Toolkit> examine(const fs::path& nvcc) {
  run::Command command;
  command.argv = {nvcc.string(), "--version"};
  command.limits.wall = kPatienceForVersion;
  const Result<run::Outcome> outcome = run::run(command);
  if (!outcome) return unusable(nvcc, fmt::format("does not start ({})", outcome.error().what));
  if (outcome->ending == run::Ending::kInterrupted) return Error{"interrupted"};
  if (!outcome->ok()) return unusable(nvcc, fmt::format("fails ({})", first_line(outcome->err + outcome->out)));
  const std::optional<std::string> version = version_in(outcome->out);
  if (!version) return unusable(nvcc, "does not tell its version");
  Toolkit toolkit;
  std::error_code ignored;
  const fs::path real = fs::canonical(nvcc, ignored);
  toolkit.nvcc = nvcc;
  toolkit.root = (real.empty() ? nvcc : real).parent_path().parent_path();
  toolkit.version = *version;
  const char* const end = version->data() + version->size();
  const auto major = std::from_chars(version->data(), end, toolkit.major);
  if (major.ptr != end) std::from_chars(major.ptr + 1, end, toolkit.minor);
  if (toolkit.major < kOldestMajor)
    return unusable(nvcc, fmt::format("is version {} when it should be {} or newer", *version, kOldestMajor));
  return toolkit;
}

}  // namespace

Places places_of_environment() { return Places{variable("CUDA_HOME"), variable("PATH")}; }

fs::path program_in_path(std::string_view name, std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path file = fs::path(path.substr(begin, end - begin)) / name;
    if (is_program(file)) return file;
    begin = end + 1;
  }
  return {};
}

std::optional<std::string> version_in(std::string_view text) {
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const std::size_t release = text.find("release ");
  if (release == std::string_view::npos) return std::nullopt;
  const std::size_t mark = text.find(", V", release);
  const std::size_t begin = mark == std::string_view::npos ? release + 8 : mark + 3;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
  if (end == begin) return std::nullopt;
  return std::string(text.substr(begin, end - begin));
}

Result<Toolkit> find_toolkit_in(const Places& places) {
  // The first place that was named decides, even when its nvcc is too old or missing: taking another one silently would puzzle whoever
  // set the variable.
  if (!places.cuda_home.empty()) {
    const fs::path nvcc = fs::path(places.cuda_home) / "bin" / "nvcc";
    return is_program(nvcc) ? examine(nvcc) : nothing_found(places);
  }
  if (const fs::path nvcc = program_in_path("nvcc", places.path); !nvcc.empty()) return examine(nvcc);
  if (const fs::path nvcc = places.usual_folder / "bin" / "nvcc"; is_program(nvcc)) return examine(nvcc);
  return nothing_found(places);
}

Result<Toolkit> find_toolkit() { return find_toolkit_in(places_of_environment()); }

}  // namespace warpbook::toolchain
