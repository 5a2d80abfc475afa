// nvidia-smi knows the capability, but waking the driver can take a second, as long as a whole compilation. The kernel's own list of
// GPUs under /proc is read in no time and changes exactly when another card or driver is put in, so the answer is kept under its hash.
#include "judge/toolchain/native.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <set>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/run/process.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{30};

std::string output_of(std::vector<std::string> argv) {
  run::Command command;
  command.argv = std::move(argv);
  command.limits.wall = kPatience;
  const Result<run::Outcome> outcome = run::run(command);
  return outcome && outcome->ok() ? outcome->out : "";
}

/// Files under /proc say their size is 0, so read_file() would see nothing in them.
std::string text_of_proc_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Names the GPUs and the driver; empty where the kernel does not list them.
std::string description_of_gpus() {
  HashBuilder all;
  std::error_code error;
  bool any = false;
  std::set<fs::path> files = {"/proc/driver/nvidia/version"};
  for (fs::directory_iterator it("/proc/driver/nvidia/gpus", error), end; !error && it != end; it.increment(error))
    files.insert(it->path() / "information");
  for (const fs::path& file : files) {
    const std::string text = text_of_proc_file(file);
    any = any || !text.empty();
    all.add(file.string(), text);
  }
  return any ? all.hex() : "";
}

}  // namespace

std::vector<int> capabilities_in(std::string_view answer) {
  std::set<int> found;
  for (const std::string& line : split_lines(answer)) {
    int major = 0, minor = 0;
    const char* const end = line.data() + line.size();
    const auto first = std::from_chars(line.data(), end, major);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') continue;
    if (std::from_chars(first.ptr + 1, end, minor).ec == std::errc()) found.insert(major * 10 + minor);
  }
  return {found.begin(), found.end()};
}

std::vector<int> native_capabilities(const Toolkit& toolkit, const Cache& cache, const fs::path& cache_folder) {
  const std::string gpus = description_of_gpus();
  const std::string name =
      "gpu-" + HashBuilder().add("gpus", gpus).add("nvcc", toolkit.nvcc.string()).add("version", toolkit.version).hex();
  if (!gpus.empty())
    if (const std::optional<Entry> known = cache.find(name)) return capabilities_in(known->note);
  const std::string known_codes = output_of({toolkit.nvcc.string(), "--list-gpu-code"});
  std::vector<int> usable;
  std::string note;
  for (const int capability : capabilities_in(output_of({"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"})))
    if (known_codes.find(fmt::format("sm_{}\n", capability)) != std::string::npos) {
      usable.push_back(capability);
      note += fmt::format("{}.{}\n", capability / 10, capability % 10);
    }
  if (gpus.empty() || usable.empty()) return usable;
  if (Result<Scratch> scratch = Scratch::make(cache_folder))
    if (!cache.publish(name, scratch->folder(), {}, note)) return usable;  // known all the same, only asked for again next time
  return usable;
}

}  // namespace warpbook::toolchain
