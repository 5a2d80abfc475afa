#include "judge/toolchain/reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "judge/base/text.hpp"

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

/// The name of a marker that says a file is entered, `# 1 "name" 1 ...`, without its escapes; nothing for any other line.
std::optional<std::string> entered(std::string_view line) {
  if (!line.starts_with("# ")) return std::nullopt;
  const std::size_t open = line.find('"');
  if (open == std::string_view::npos) return std::nullopt;
  std::string name;
  std::size_t at = open + 1;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\') {
      name += line[at];
      continue;
    }
    // \" and \\, and with some versions of gcc three octal digits for each byte that is not ASCII.
    int byte = 0;
    const std::string_view digits = line.substr(at + 1, 3);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 8);
    const bool octal = failed == std::errc{} && digits.size() == 3 && end == digits.data() + 3;
    name += octal ? static_cast<char>(byte) : line.substr(at + 1, 1).empty() ? '\\' : line[at + 1];
    at += octal ? 3 : 1;
  }
  const std::string_view flags = at < line.size() ? trimmed(line.substr(at + 1)) : std::string_view();
  if (flags != "1" && !flags.starts_with("1 ")) return std::nullopt;
  return name;
}

}  // namespace

std::vector<fs::path> allowed_folders(const Toolkit& toolkit, const std::vector<fs::path>& include, const fs::path& scratch) {
  std::vector<fs::path> all{scratch, toolkit.root, "/usr/include", "/usr/lib", "/usr/lib64", "/usr/local/include"};
  for (const fs::path& folder : include) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) all.push_back(entry.path());
  }
  std::vector<fs::path> canonical;
  for (const fs::path& folder : all) {
    std::error_code missing;
    fs::path found = fs::canonical(folder, missing);
    if (!missing && found.has_relative_path()) canonical.push_back(std::move(found));
  }
  return canonical;
}

std::optional<std::string> outside(std::string_view preprocessed, std::vector<fs::path> allowed, const fs::path& scratch) {
  const std::string learners_part = fmt::format("# 1 \"{}\"", kUnit);
  bool of_the_toolkit = true;
  std::set<std::string> seen;
  // The first line is the unit's name, with some versions of gcc in the same words as where its text begins.
  for (std::size_t begin = preprocessed.find('\n'); begin < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', ++begin), preprocessed.size());
    const std::string_view line = preprocessed.substr(begin, end - begin);
    begin = end;
    if (line == learners_part) of_the_toolkit = false;
    std::optional<std::string> name = entered(line);
    if (!name || name->starts_with('<') || !seen.insert(*name).second) continue;
    std::error_code missing;
    const fs::path file = fs::canonical(scratch / *name, missing);
    if (missing) continue;  // a marker that the source made up: nothing was read there
    const bool within = std::any_of(allowed.begin(), allowed.end(), [&](const fs::path& folder) { return lies_in(file, folder); });
    if (!within && !of_the_toolkit) return name;
    if (!within) allowed.push_back(file.parent_path());
  }
  return std::nullopt;
}

Diagnostic complaint_about(const std::string& file, const Text& text) {
  Diagnostic complaint;
  complaint.file = text.shown_name;
  complaint.line = complaint.column = 1;
  const std::string last = fs::path(file).filename().string();
  for (std::size_t i = 0; i < text.lines.size(); ++i) {
    const std::string_view line = trimmed(text.lines[i]);
    const std::size_t at = text.lines[i].find(last);
    if (!line.starts_with('#') || at == std::string::npos) continue;
    complaint.line = static_cast<int>(i) + 1;
    complaint.column = static_cast<int>(text.lines[i].find('#')) + 1;
    break;
  }
  if (!text.lines.empty()) complaint.source_line = text.lines[static_cast<std::size_t>(complaint.line) - 1];
  complaint.message =
      fmt::format("a submission may not include {}, expected headers of common/, the CUDA toolkit or the C++ library", last);
  return complaint;
}

}  // namespace warpbook::toolchain
