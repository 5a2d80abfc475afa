#include "judge/task/code_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/task/number_text.hpp"
#include "judge/task/place.hpp"
#include "judge/task/suggest.hpp"
#include "judge/task/xml_reader.hpp"

namespace warpbook::task {
namespace {

/// `// region NAME` or `// endregion NAME` on a line of its own.
struct RegionMarker {
  bool opens = false;
  std::string name;
};

std::optional<RegionMarker> region_marker(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("//")) return std::nullopt;
  const auto words = words_of(line.substr(2));
  if (words.size() != 2 || (words[0] != "region" && words[0] != "endregion")) return std::nullopt;
  return RegionMarker{words[0] == "region", words[1]};
}

/// FILE and NAME of a `{{code FILE#NAME}}` line.
struct CodeLine {
  std::string file, region;
};

constexpr std::string_view kRegionOpening = "{{code ", kRegionClosing = "}}";

std::optional<CodeLine> code_line(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with(kRegionOpening) || !line.ends_with(kRegionClosing)) return std::nullopt;
  const std::string_view inner = trimmed(line.substr(kRegionOpening.size(), line.size() - kRegionOpening.size() - kRegionClosing.size()));
  const std::size_t hash = inner.find('#');
  if (hash == 0 || hash == std::string_view::npos || hash + 1 == inner.size() || inner.find_first_of(" \t{}") != std::string_view::npos)
    return std::nullopt;
  return CodeLine{std::string(inner.substr(0, hash)), std::string(inner.substr(hash + 1))};
}

bool stays_in_folder(const std::filesystem::path& path) {
  return path.is_relative() && std::none_of(path.begin(), path.end(), [](const std::filesystem::path& part) { return part == ".."; });
}

Result<std::string> fenced(const CodeLine& wanted, const std::filesystem::path& folder) {
  if (!stays_in_folder(wanted.file)) return Error{fmt::format("'{}' lies outside the folder of the task", wanted.file)};
  const std::filesystem::path path = folder / wanted.file;
  const auto source = read_file(path);
  if (!source) return Error{fmt::format("{}: {}", wanted.file, source.error().what)};
  auto region = code_region(*source, path.string(), wanted.region);
  if (!region) return region;
  const std::string_view language = path.extension() == ".cu" || path.extension() == ".cuh" ? "cuda" : "";
  return fmt::format("```{}\n{}\n```\n", language, *region);
}

}  // namespace

Result<std::string> code_region(std::string_view source, const std::string& file, std::string_view name) {
  std::string content;
  std::vector<std::string> names;
  int line_number = 0, opened_at = 0;
  bool inside = false, found = false;
  for (const std::string& line : split_lines(source)) {
    ++line_number;
    const auto marker = region_marker(line);
    if (!marker) {
      if (inside) content += line + "\n";
      continue;
    }
    if (marker->opens) names.push_back(marker->name);
    if (marker->name != name) continue;
    if (marker->opens == inside || (marker->opens && found))
      return error_at_line(source, line_number, 1, file,
                           fmt::format("region '{}' {}", name, marker->opens ? "is opened twice" : "is closed but not open"));
    inside = marker->opens;
    if (inside) opened_at = line_number;
    found = true;
  }
  if (inside)
    return error_at_line(source, opened_at, 1, file, fmt::format("region '{0}' is not closed, expected '// endregion {0}'", name));
  if (!found) return Error{fmt::format("has no region '{}', {}", name, expected_one_of(name, names)), Where{file}};
  // dedented() trims its first line as one that follows a tag, hence the empty line in front.
  return dedented(fmt::format("\n{}", content));
}

Result<std::string> expand_regions(std::string_view markdown, const std::string& markdown_file, const std::filesystem::path& folder) {
  std::string out;
  int line_number = 0;
  bool in_fence = false;
  for (const std::string& line : split_lines(markdown)) {
    ++line_number;
    const std::size_t at = line.find(kRegionOpening);
    if (trimmed(line).starts_with("```")) in_fence = !in_fence;
    if (in_fence || at == std::string::npos) {
      out += line + "\n";
      continue;
    }
    const int column = static_cast<int>(at) + 1;
    const auto wanted = code_line(line);
    if (!wanted) return error_at_line(markdown, line_number, column, markdown_file, "expected {{code FILE#REGION}} on a line of its own");
    auto block = fenced(*wanted, folder);
    if (!block && block.error().where.line > 0) return block;
    if (!block)
      return error_at_line(markdown, line_number, column, markdown_file,
                           block.error().where.file.empty() ? block.error().what : fmt::format("{} {}", wanted->file, block.error().what));
    out += *block;
  }
  return out;
}

}  // namespace warpbook::task
