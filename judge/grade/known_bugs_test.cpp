// The table "Bugs of the field, and what catches them" of lessons/README.md against the submissions that it names.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/grade/submission_header.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::grade;

namespace {

struct Row {
  std::string id, file, caught_by;
};

/// The kinds of the list that the lessons must cover.
const std::set<std::string> kKinds = {"N01", "N02", "N05", "N07", "N09", "N10", "N12", "N13", "N15", "N17", "N20",
                                      "N21", "N22", "M01", "M05", "M07", "M08", "M10", "M11", "M12", "M13", "S02",
                                      "S05", "S06", "S07", "S08", "S10", "L02", "L03", "L05", "P01", "P02"};
constexpr std::string_view kChecker = "checker: ", kMedal = "medal", kWarning = "warning: ";

/// "[a/b.cu](a/b.cu)" as "a/b.cu".
std::string link_of(const std::string& cell) {
  const std::size_t open = cell.find("]("), close = cell.rfind(')');
  return open == std::string::npos ? cell : cell.substr(open + 2, close - open - 2);
}

std::vector<Row> rows() {
  std::vector<Row> out;
  bool inside = false;
  for (const std::string& line : split_lines(read_file(WARPBOOK_SOURCE_DIR "/lessons/README.md").value())) {
    if (line.starts_with("## ")) inside = line.starts_with("## Bugs of the field");
    if (!inside || !line.starts_with("| ")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 1, end = 0; (end = line.find('|', at)) != std::string::npos; at = end + 1)
      cells.emplace_back(trimmed(std::string_view(line).substr(at, end - at)));
    if (cells.size() == 4 && !cells[0].empty()) out.push_back({cells[0], link_of(cells[2]), cells[3]});
  }
  return out;
}

bool holds(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

TEST_CASE("every kind of the field's bugs is in the table, and no other") {
  std::set<std::string> found;
  for (const Row& row : rows()) found.insert(row.id);
  CHECK(found == kKinds);
}

TEST_CASE("what the table says catches a bug is declared by the submission that it names") {
  for (const Row& row : rows()) {
    INFO(row.id << " " << row.file << " " << row.caught_by);
    const std::filesystem::path file = std::filesystem::path(WARPBOOK_SOURCE_DIR "/lessons") / row.file;
    const Result<std::string> text = read_file(file);
    REQUIRE(text);
    if (row.caught_by.starts_with(kWarning)) {  // accepted all the same: judge/tests/cli/warned_test.cpp runs these
      CHECK(find_reason(row.caught_by.substr(kWarning.size())));
      CHECK(row.file.find("/submissions/warned/") != std::string::npos);
      continue;
    }
    const Result<SubmissionHeader> header = read_submission_header(row.file, *text);
    REQUIRE(header);
    if (row.caught_by == kMedal) CHECK(header->medal_lost);
    else if (row.caught_by.starts_with(kChecker)) {
      const auto reason = find_reason(row.caught_by.substr(kChecker.size()));
      REQUIRE(reason);
      CHECK(std::find(header->reasons.begin(), header->reasons.end(), *reason) != header->reasons.end());
    } else CHECK(holds(header->cases, row.caught_by));
  }
}
