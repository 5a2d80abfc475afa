#include "judge/toolchain/key.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "judge/base/hash.hpp"
#include "judge/toolchain/find.hpp"
#include "judge/toolchain/includes.hpp"
#include "judge/toolchain/plan.hpp"

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;

/// Raised when results of the same inputs come out differently than before.
constexpr const char* kFormat = "1";

/// What nvcc and gcc read from the environment and what changes their results.
constexpr const char* kVariables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN",    "CPATH",       "C_INCLUDE_PATH",
                                      "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX",   "COMPILER_PATH", "LIBRARY_PATH"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Tells a program from its replacement without starting it.
std::string identity(const fs::path& program) {
  std::error_code ignored;
  const fs::path real = fs::canonical(program, ignored);
  struct stat info {};
  if (real.empty() || ::stat(real.c_str(), &info) != 0) return program.string();
  return fmt::format("{} {} {}.{:09}", real.string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

std::string host_compiler() {
  const std::string chosen = variable("NVCC_CCBIN");
  if (chosen.empty()) return identity(program_in_path("gcc", variable("PATH")));
  return identity(chosen.find('/') == std::string::npos ? program_in_path(chosen, variable("PATH")) : fs::path(chosen));
}

std::string toolchain_key(const Toolkit& toolkit) {
  HashBuilder all;
  all.add("format", kFormat).add("version", toolkit.version).add("nvcc", identity(toolkit.nvcc)).add("host compiler", host_compiler());
  for (const char* name : kVariables) all.add(name, variable(name));
  for (const std::string& flag : common_flags()) all.add("flag", flag);
  return all.hex();
}

}  // namespace

Keys make_keys(const Toolkit& toolkit, const Source& source, const CompileOptions& options, const std::vector<int>& native) {
  const Included included = follow_includes(source.prelude + source.text + "\n" + source.glue, options.include);
  Keys keys;
  keys.repeatable = included.complete;
  keys.by_architecture = included.tells_architecture || !included.complete;
  keys.toolchain = toolchain_key(toolkit);
  HashBuilder flags;
  flags.add("toolchain", keys.toolchain).add("headers", included.hash);
  if (!source.prelude.empty()) flags.add("prelude", source.prelude);
  keys.flags = flags.hex();
  HashBuilder whole;
  whole.add("flags", keys.flags).add("name", source.shown_name).add("text", source.text).add("glue", source.glue);
  for (const int capability : native) whole.add(keys.by_architecture ? "of its own PTX" : "native", std::to_string(capability));
  keys.whole = whole.hex();
  if (source.host_key.empty()) return keys;
  HashBuilder host;
  host.add("flags", keys.flags).add("host", source.host_key).add("glue", source.glue);
  // Name and lines are part of host code that asks for them (__LINE__ in a check macro): a blank that grew moves what stands below it.
  // Where nothing asks, all submissions of a task that differ in device blanks have one host half.
  if (included.tells_place) {
    const auto lines = std::count(source.text.begin(), source.text.end(), '\n');
    host.add("name", source.shown_name).add("lines", std::to_string(lines));
  }
  keys.host = host.hex();
  return keys;
}

}  // namespace warpbook::toolchain
