#include "judge/toolchain/resources.hpp"

#include <fmt/format.h>

#include <charconv>

#include "judge/base/files.hpp"
#include "judge/run/process.hpp"

namespace warpbook::toolchain {

namespace {

/// The number before or after `word`; only words and numbers are relied on, never the shape of a line: ptxas adds to it from version to
/// version.
int number_before(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == std::string_view::npos || at == 0) return -1;
  auto end = line.find_last_of("0123456789", at - 1);
  if (end == std::string_view::npos) return -1;
  const auto before = line.find_last_not_of("0123456789", end);
  const auto begin = before == std::string_view::npos ? 0 : before + 1;
  int value = -1;
  std::from_chars(line.data() + begin, line.data() + end + 1, value);
  return value;
}

std::string quoted_name(std::string_view line) {
  const auto begin = line.find('\'');
  const auto end = begin == std::string_view::npos ? begin : line.find('\'', begin + 1);
  return end == std::string_view::npos ? "" : std::string(line.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::map<std::string, KernelResources> parse_resources(std::string_view said) {
  std::map<std::string, KernelResources> out;
  std::string entry;
  int spilled = 0;
  for (const std::string& line : split_lines(std::string(said))) {
    if (line.find("Compiling entry function") != std::string::npos) {
      entry = quoted_name(line);
      spilled = 0;
    }
    if (entry.empty()) continue;
    if (const int bytes = number_before(line, " bytes spill stores"); bytes >= 0) spilled = bytes;
    const int registers = number_before(line, " registers");
    if (registers < 0) continue;
    out[entry] = {registers, spilled};
    entry.clear();  // functions that are called come with numbers of their own
  }
  return out;
}

Result<std::map<std::string, KernelResources>> kernel_resources(const Toolkit& toolkit, const std::filesystem::path& ptx, int capability) {
  const std::filesystem::path ptxas = toolkit.root / "bin" / "ptxas";
  std::error_code ignored;
  if (!std::filesystem::exists(ptxas, ignored)) return Error{fmt::format("there is no ptxas in {}", (toolkit.root / "bin").string())};
  run::Command command;
  command.argv = {ptxas.string(), "-v", fmt::format("-arch=sm_{}", capability), ptx.string(), "-o", "/dev/null"};
  constexpr std::chrono::seconds kLimit{120};
  command.limits.wall = kLimit;
  Result<run::Outcome> outcome = run::run(command);
  if (!outcome) return std::move(outcome).error();
  if (!outcome->ok()) return Error{fmt::format("ptxas ended with {}: {}", outcome->code, outcome->err.substr(0, 200))};
  return parse_resources(outcome->out + outcome->err);
}

}  // namespace warpbook::toolchain
