#include "judge/tests/attacks/attack_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"

namespace warpbook::attacks {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kBenchWords = {kBenchAccepted, kBenchNotAccepted, kBenchNoGain};

bool has(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (std::string item(trimmed(text.substr(0, comma))); !item.empty()) out.push_back(std::move(item));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

/// `key: value` with a key of one word in small letters; prose has none.
std::pair<std::string, std::string> key_and_value(std::string_view line) {
  const std::string_view body = trimmed(line.substr(2));
  const std::size_t colon = body.find(':');
  const std::string_view key = body.substr(0, colon);
  const bool word = std::all_of(key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
  if (colon == std::string_view::npos || key.empty() || !word) return {};
  return {std::string(key), std::string(trimmed(body.substr(colon + 1)))};
}

/// What is wrong with the line, or empty.
std::string take(AttackFile& file, const std::string& key, const std::string& value) {
  if (value.empty()) return fmt::format("{} has no value", key);
  if (key == "verdict") file.verdicts = list_of(value);
  else if (key == "reason") file.reasons = list_of(value);
  else if (key == "cases") file.cases = list_of(value);
  else if (key == "seeds") file.seeds = list_of(value);
  else if (key == "task") file.task = value;
  else if (key == "trick") file.trick = value;
  else if (key == "control") file.control = value;
  else if (key == "says") file.says = value;
  else if (key == "bench") file.bench = value;
  else return fmt::format("'{}' is no key of such a header (judge/tests/attacks/attack_file.hpp lists them)", key);
  return {};
}

/// What is missing or does not go together, or empty.
std::string lack_of(const AttackFile& file, bool tells_why) {
  if (file.verdicts.empty()) return "the file does not open with `// verdict: ...`";
  if (file.trick.empty() == file.control.empty()) return "the header names neither a trick nor a control, or both";
  if (!file.trick.empty() && !has(trick_names(), file.trick))
    return fmt::format("no trick is called '{}', expected one of: {}", file.trick, fmt::join(trick_names(), ", "));
  if (file.cases.empty()) return "the header names no cases";
  if (file.seeds.empty()) return "the header names no seeds";
  if (!file.bench.empty() && !has(kBenchWords, file.bench))
    return fmt::format("bench is '{}', expected one of: {}", file.bench, fmt::join(kBenchWords, ", "));
  const bool accepted = has(file.verdicts, "AC");
  if (accepted && file.verdicts.size() > 1) return "the verdict is AC or something else, never either";
  if (accepted != file.reasons.empty()) return "every verdict but AC has a reason, and AC has none";
  if (!file.control.empty() && (!accepted || file.bench != kBenchAccepted))
    return "a control is honest: its verdict is AC, and bench is accepted";
  if (!file.trick.empty() && accepted && (file.bench.empty() || file.bench == kBenchAccepted))
    return "a trick that computes the right values must fail when it is timed: bench is not-accepted or no-gain";
  if (!accepted && !file.bench.empty()) return "what is not accepted is not timed: bench belongs to a verdict of AC";
  if (!file.trick.empty() && !tells_why) return "the header does not say why the judge is not fooled: `// Not fooled: ...`";
  return {};
}

}  // namespace

const std::vector<std::string>& trick_names() {
  static const std::vector<std::string> names = {
      "side-stream",     "host-thread",        "kept-by-pointer",     "kept-by-count",      "kept-by-content",   "kept-in-device-buffer",
      "kept-in-file",    "kept-in-graph",      "interposed-timer",    "interposed-runtime", "persisting-l2",     "sleep-in-warm-up",
      "printed-verdict", "forged-descriptors", "exit-in-constructor", "inputs-modified",    "expected-searched", "half-inside",
      "part-of-data",    "failed-launch",      "harness-macros",      "launch-of-nothing",  "cpu-answer"};
  return names;
}

Result<AttackFile> read_attack(const std::string& name, const std::string& text) {
  AttackFile file;
  file.name = name;
  file.text = text;
  bool tells_why = false, header = true;
  int number = 0;
  const auto refuse = [&](std::string what) { return Error{std::move(what), {name, number, 1}}; };
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (!line.starts_with("//")) break;
    const auto [key, value] = key_and_value(line);
    header &= !key.empty();
    tells_why |= line.starts_with("// Not fooled:");
    if (!header) continue;
    if (const std::string problem = take(file, key, value); !problem.empty()) return refuse(problem);
  }
  number = 1;
  if (const std::string lack = lack_of(file, tells_why); !lack.empty()) return refuse(lack);
  return file;
}

Result<std::vector<AttackFile>> read_attacks(const fs::path& folder) {
  std::vector<AttackFile> all;
  for (const char* part : {"controls", "tricks"}) {
    std::error_code error;
    for (fs::directory_iterator it(folder / part, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() != ".cu") continue;
      const Result<std::string> text = read_file(it->path());
      if (!text) return text.error();
      Result<AttackFile> file = read_attack(fmt::format("{}/{}", part, it->path().filename().string()), *text);
      if (!file) return std::move(file).error();
      all.push_back(std::move(*file));
    }
    if (error) return Error{fmt::format("cannot be read: {}", error.message()), Where{(folder / part).string()}};
  }
  std::sort(all.begin(), all.end(), [](const AttackFile& a, const AttackFile& b) { return a.name < b.name; });
  return all;
}

}  // namespace warpbook::attacks
