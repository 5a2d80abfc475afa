#include "judge/cudart/device_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpbook::cudart {
namespace {

/// The pieces between `separator`, empty ones left out.
std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

template <class T>
bool number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_check(std::string_view name) { return std::find(std::begin(kChecks), std::end(kChecks), name) != std::end(kChecks); }

/// False when the value is not one that the key takes.
bool set(DeviceOptions& options, std::string_view key, std::string_view value) {
  if (key == "profile") {
    options.profile = value;
    return true;
  }
  if (key == "order") {
    options.order = value;
    return value == "ascending" || value == "descending" || value == "seeded";
  }
  if (key == "seed") return number(value, options.seed);
  if (key == "max-findings") return number(value, options.max_findings) && options.max_findings > 0;
  if (key == "budget") return number(value, options.budget.emplace());
  if (key == "report") return number(value, options.report);
  if (key != "off") return false;
  for (const std::string_view check : pieces(value, ',')) {
    if (!is_check(check)) return false;
    options.off.emplace_back(check);
  }
  return true;
}

}  // namespace

std::string device_options_text(const DeviceOptions& options) {
  std::string text =
      fmt::format("profile={};order={};seed={};max-findings={}", options.profile, options.order, options.seed, options.max_findings);
  if (options.budget) text += fmt::format(";budget={}", *options.budget);
  if (!options.off.empty()) text += fmt::format(";off={}", fmt::join(options.off, ","));
  if (options.report >= 0) text += fmt::format(";report={}", options.report);
  return text;
}

Result<DeviceOptions> parse_device_options(std::string_view text) {
  DeviceOptions options;
  for (const std::string_view pair : pieces(text, ';')) {
    const std::size_t equals = pair.find('=');
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    if (equals == std::string_view::npos || !set(options, pair.substr(0, equals), value))
      return Error{fmt::format("{}: '{}' is not understood", kOptionsVariable, pair)};
  }
  return options;
}

}  // namespace warpbook::cudart
