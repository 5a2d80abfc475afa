#include "judge/toolchain/line_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"

namespace warpbook::toolchain {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Takes a number off the front of `text`.
int take_number(std::string_view& text) {
  text = trimmed(text);
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// `.file 1 "name"`: the number and the quoted text.
bool is_file_line(std::string_view line, int& number, std::string_view& quoted) {
  line = trimmed(line);
  if (!line.starts_with(".file")) return false;
  line.remove_prefix(5);
  number = take_number(line);
  const std::size_t open = line.find('"'), close = line.rfind('"');
  if (open == std::string_view::npos || close <= open) return false;
  quoted = line.substr(open + 1, close - open - 1);
  return true;
}

/// A `.loc` line: file and line, and of what it was inlined into.
struct Loc {
  int file = 0, line = 0;
  int outer_file = 0, outer_line = 0;
};

bool is_loc_line(std::string_view line, Loc& loc) {
  line = trimmed(line);
  if (!line.starts_with(".loc")) return false;
  line.remove_prefix(4);
  loc = {};
  loc.file = take_number(line);
  loc.line = take_number(line);
  constexpr std::string_view kInlined = "inlined_at";
  if (const std::size_t at = line.find(kInlined); at != std::string_view::npos) {
    line.remove_prefix(at + kInlined.size());
    loc.outer_file = take_number(line);
    loc.outer_line = take_number(line);
  }
  return true;
}

bool starts_function(std::string_view line) {
  return line.find(".entry") != std::string_view::npos || line.find(".func") != std::string_view::npos;
}

}  // namespace

std::string unescaped(std::string_view quoted) {
  std::string text;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      text += quoted[i];
      continue;
    }
    if (i + 3 < quoted.size() && is_octal(quoted[i + 1]) && is_octal(quoted[i + 2]) && is_octal(quoted[i + 3])) {
      text += static_cast<char>((quoted[i + 1] - '0') * 64 + (quoted[i + 2] - '0') * 8 + (quoted[i + 3] - '0'));
      i += 3;
      continue;
    }
    text += quoted[++i];
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += fmt::format("\\{}", c);
    else if (byte >= 0x80) quoted += fmt::format("\\{:03o}", byte);
    else quoted += c;
  }
  return quoted;
}

std::string without_folder(std::string_view ptx, std::string_view folder) {
  const std::string prefix = escaped(folder) + "/";
  std::string result;
  result.reserve(ptx.size());
  for (std::size_t begin = 0; begin < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    const std::string_view line = ptx.substr(begin, end - begin);
    int number = 0;
    std::string_view quoted;
    if (is_file_line(line, number, quoted) && quoted.starts_with(prefix)) {
      const auto at = static_cast<std::size_t>(quoted.data() - line.data());
      result += line.substr(0, at);
      result += line.substr(at + prefix.size());
    } else {
      result += line;
    }
    begin = end;
  }
  return result;
}

SourceLine source_of(std::string_view ptx, int ptx_line, std::string_view shown_name) {
  std::map<int, std::string> files;
  Loc best{};
  bool past = false;
  int number = 0;
  for (const std::string& line : split_lines(ptx)) {
    ++number;
    int file = 0;
    std::string_view quoted;
    Loc loc{};
    if (is_file_line(line, file, quoted)) files[file] = unescaped(quoted);
    if (number <= ptx_line && starts_function(line)) best = {};
    const bool wanted = is_loc_line(line, loc) && loc.line > 0;
    if (wanted && (number <= ptx_line || (best.line == 0 && !past))) best = loc;
    if (number > ptx_line && (best.line > 0 || starts_function(line))) past = true;
  }
  if (best.line == 0) return {};
  if (files[best.file] != shown_name && best.outer_line > 0 && files[best.outer_file] == shown_name)
    return {files[best.outer_file], best.outer_line};
  return {files[best.file], best.line};
}

}  // namespace warpbook::toolchain
