#include "judge/classroom/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/classroom/csv.hpp"

namespace warpbook::classroom {
namespace {

constexpr std::size_t kAbsent = std::string::npos;

/// Where the columns stand.
struct Columns {
  std::size_t login = kAbsent, name = kAbsent, role = kAbsent, count = 0;
};

Error roster_error(const CsvCell& cell, std::string what) { return Error{std::move(what), Where{{}, cell.line, cell.column}}; }

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

Result<Columns> read_header(const CsvRow& header) {
  Columns columns;
  columns.count = header.size();
  const std::array<std::pair<std::string_view, std::size_t*>, 3> known{
      {{"login", &columns.login}, {"name", &columns.name}, {"role", &columns.role}}};
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string title = small_letters(trimmed(header[i].text));
    for (const auto& [name, place] : known) {
      if (title != name) continue;
      if (*place != kAbsent) return roster_error(header[i], fmt::format("the column '{}' is there twice", name));
      *place = i;
    }
  }
  const bool other_separator = header.size() == 1 && header.front().text.find_first_of(";\t") != std::string::npos;
  if (other_separator) return roster_error(header.front(), "the columns are separated by something else, expected commas");
  for (const auto& [name, place] : known)
    if (*place == kAbsent && name != "role")
      return roster_error(header.front(), fmt::format("the first line names no column '{}', expected login,name or login,name,role", name));
  return columns;
}

/// A character that shows nothing, or turns the direction of what follows: two logins could look the same.
bool hides(std::uint32_t c) {
  constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[] = {
      {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x115F, 0x1160}, {0x180B, 0x180F}, {0x200B, 0x200F},  {0x202A, 0x202E}, {0x2060, 0x206F},
      {0x3164, 0x3164}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xE0000, 0xE0FFF}};  // Default_Ignorable_Code_Point
  return std::any_of(std::begin(kRanges), std::end(kRanges), [&](const auto& range) { return c >= range.first && c <= range.second; });
}

bool is_space(std::uint32_t c) {
  return c == ' ' || c == 0x00A0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_control(std::uint32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029; }

/// Beyond ASCII one login can be written in several ways (composed or not, large or small, letters that look alike), and whoever types it
/// does not know which; names are for people, logins for typing.
bool is_of_login(std::uint32_t c) {
  constexpr std::string_view kSigns = "._-@+";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c < 0x80 && kSigns.find(static_cast<char>(c)) != std::string_view::npos);
}

/// Characters of valid UTF-8.
std::vector<std::uint32_t> characters_of(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80 && !out.empty()) out.back() = out.back() << 6 | (byte & 0x3F);
    else out.push_back(byte < 0x80 ? byte : byte & (byte >= 0xF0 ? 0x07 : byte >= 0xE0 ? 0x0F : 0x1F));
  }
  return out;
}

Result<RosterLine> read_line(const CsvRow& row, const Columns& columns) {
  if (row.size() != columns.count)
    return roster_error(row.front(),
                        fmt::format("the line has {} cells, expected {} as in the first line (a name with a comma stands in quotes)",
                                    row.size(), columns.count));
  RosterLine line;
  line.login = trimmed(row[columns.login].text);
  line.name = trimmed(row[columns.name].text);
  if (const std::string fault = login_fault(line.login); !fault.empty()) return roster_error(row[columns.login], fault);
  if (const std::string fault = name_fault(line.name); !fault.empty()) return roster_error(row[columns.name], fault);
  if (columns.role == kAbsent) return line;
  const CsvCell& role = row[columns.role];
  const std::string word = small_letters(trimmed(role.text));
  if (word.empty()) return line;
  const std::optional<Role> found = find_role(word);
  if (!found) return roster_error(role, "the role is none, expected learner or instructor");
  line.role = *found;
  line.role_given = true;
  return line;
}

}  // namespace

std::string_view name_of(Role role) { return role == Role::kInstructor ? "instructor" : "learner"; }

std::optional<Role> find_role(std::string_view name) {
  if (name == "learner") return Role::kLearner;
  if (name == "instructor") return Role::kInstructor;
  return std::nullopt;
}

std::string name_fault(std::string_view name) {
  if (name.empty()) return "the name is empty";
  if (name.size() > kLongestName) return fmt::format("the name has {} bytes, expected at most {}", name.size(), kLongestName);
  if (!is_text(name)) return "the name is not UTF-8 text";
  const auto characters = characters_of(name);
  if (std::any_of(characters.begin(), characters.end(), is_control)) return "the name holds a control character";
  // Among others such marks have their place: Persian and Indic names are spelt with them.
  const bool shows = std::any_of(characters.begin(), characters.end(), [](std::uint32_t c) { return !hides(c) && !is_space(c); });
  return shows ? "" : "the name holds nothing that can be seen";
}

std::string login_fault(std::string_view login) {
  if (login.empty()) return "the login is empty";
  if (login.size() > kLongestLogin) return fmt::format("the login has {} bytes, expected at most {}", login.size(), kLongestLogin);
  if (!is_text(login)) return "the login is not UTF-8 text";
  const auto characters = characters_of(login);
  if (std::any_of(characters.begin(), characters.end(), is_space)) return "the login holds a space";
  if (std::any_of(characters.begin(), characters.end(), is_control)) return "the login holds a control character";
  if (std::any_of(characters.begin(), characters.end(), hides)) return "the login holds a character that cannot be seen";
  const auto other = std::find_if_not(characters.begin(), characters.end(), is_of_login);
  if (other == characters.end()) return "";
  return fmt::format("the login holds {}, expected letters a to z, digits and . _ - @ + only (names may be written as they are)",
                     *other < 0x80 ? fmt::format("'{}'", static_cast<char>(*other)) : fmt::format("U+{:04X}", *other));
}

std::string login_key(std::string_view login) { return small_letters(login); }

Result<std::vector<RosterLine>> read_roster(const std::string& csv) {
  const Result<std::vector<CsvRow>> rows = read_csv(csv);
  if (!rows) return rows.error();
  if (rows->empty()) return Error{"the list is empty, expected a first line login,name", Where{{}, 1, 1}};
  const Result<Columns> columns = read_header(rows->front());
  if (!columns) return columns.error();
  if (rows->size() == 1) return roster_error(rows->front().front(), "the list names nobody: there is only the line with the columns");
  if (rows->size() - 1 > kMostRosterLines)
    return roster_error((*rows)[kMostRosterLines + 1].front(), fmt::format("the list has more than {} lines", kMostRosterLines));
  std::vector<RosterLine> lines;
  std::map<std::string, int> first_at;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    Result<RosterLine> line = read_line((*rows)[i], *columns);
    if (!line) return line.error();
    const CsvCell& cell = (*rows)[i][columns->login];
    const auto [before, fresh] = first_at.emplace(login_key(line->login), cell.line);
    if (!fresh) return roster_error(cell, fmt::format("the login stands in line {} already", before->second));
    lines.push_back(std::move(*line));
  }
  return lines;
}

}  // namespace warpbook::classroom
