#include "judge/grade/measured_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/device/ncu_names.hpp"

namespace warpbook::grade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "judge/tests/calibration";
/// In the place of a grid: the launch is another one here, for the device is.
constexpr std::string_view kOther = "other";

struct Table {
  std::string file;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  std::size_t column(const std::string& name) const {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  }
};

/// Reads a table without quotes but in its last column, which may hold commas. An absent file is an empty table.
Result<Table> read_table(const fs::path& root, const std::string& name, const std::vector<std::string>& needed) {
  Table table{(fs::path(kFolder) / name).string(), {}, {}};
  const fs::path file = root / table.file;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return table;
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  int number = 0;
  for (const std::string& line : split_lines(*text)) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      const bool last = !table.columns.empty() && cells.size() == table.columns.size();
      if (c == ',' && !last) cells.emplace_back();
      else cells.back() += c;
    }
    if (++number == 1) {
      table.columns = std::move(cells);
      for (const std::string& column : needed)
        if (table.column(column) == table.columns.size()) return Error{fmt::format("there is no column '{}'", column), {table.file, 1}};
      continue;
    }
    if (cells.size() != table.columns.size())
      return Error{fmt::format("has {} cells, expected {}", cells.size(), table.columns.size()), {table.file, number}};
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Result<std::uint64_t> count_in(const std::string& text, const std::string& file, std::size_t row) {
  std::uint64_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed == std::errc{} && end == text.data() + text.size()) return count;
  return Error{fmt::format("'{}' is no count, expected a whole number", text), {file, static_cast<int>(row) + 2}};
}

std::string name_of_launch(const std::string& case_name, const std::string& kernel, const std::string& grid, const std::string& block) {
  return fmt::format("case {}, {}, grid {}, block {}", case_name, kernel, grid, block);
}

std::string size_text(const device::Dim3& size) { return fmt::format("{} {} {}", size.x, size.y, size.z); }

}  // namespace

MeasuredCounts::Launch MeasuredCounts::launch_of(const std::string& case_name, const device::KernelMeters& kernel) {
  const std::string name = device::plain_kernel_name(kernel.kernel);
  return name_of_launch(case_name, name.substr(0, name.find('<')), size_text(kernel.grid), size_text(kernel.block));
}

Result<MeasuredCounts> MeasuredCounts::read(const fs::path& root, const std::string& task) {
  const std::vector<std::string> key = {"Task", "Case", "Kernel", "Grid", "Block"};
  const Result<Table> measured = read_table(root, "launches.csv", key);
  if (!measured) return measured.error();
  std::vector<std::string> of_change = key;
  of_change.insert(of_change.end(), {"Metric", "Virtual GPU", "Nsight Compute", "Why"});
  const Result<Table> explained = read_table(root, "launches-explained.csv", of_change);
  if (!explained) return explained.error();
  const auto launch_in = [&](const Table& table, const std::vector<std::string>& row) {
    return name_of_launch(row[table.column("Case")], row[table.column("Kernel")], row[table.column("Grid")], row[table.column("Block")]);
  };
  MeasuredCounts out;
  for (std::size_t i = 0; i < measured->rows.size(); ++i) {
    const std::vector<std::string>& row = measured->rows[i];
    if (row[measured->column("Task")] != task) continue;
    Counts& counts = out.launches_[launch_in(*measured, row)];
    for (const auto& [metric, value] : device::as_ncu_metrics({})) {
      if (measured->column(metric) == row.size()) return Error{fmt::format("there is no column '{}'", metric), {measured->file, 1}};
      const Result<std::uint64_t> count = count_in(row[measured->column(metric)], measured->file, i);
      if (!count) return count.error();
      counts[metric] = *count;
    }
  }
  for (std::size_t i = 0; i < explained->rows.size(); ++i) {
    const std::vector<std::string>& row = explained->rows[i];
    if (row[explained->column("Task")] != task) continue;
    const Where where{explained->file, static_cast<int>(i) + 2};
    const auto known = out.launches_.find(launch_in(*explained, row));
    if (known == out.launches_.end()) return Error{"explains a launch that was not measured, expected one of launches.csv", where};
    const std::string& metric = row[explained->column("Metric")];
    if (row[explained->column("Virtual GPU")] == kOther) {
      out.launches_.erase(known);
      continue;
    }
    const Result<std::uint64_t> here = count_in(row[explained->column("Virtual GPU")], explained->file, i);
    if (!here) return here.error();
    const Result<std::uint64_t> there = count_in(row[explained->column("Nsight Compute")], explained->file, i);
    if (!there) return there.error();
    const auto count = known->second.find(metric);
    if (count == known->second.end() || count->second != *there)
      return Error{fmt::format("says that {} was measured as {}, and launches.csv does not", metric, *there), where};
    if (*here == *there) return Error{"explains a difference between equal counts, expected two that differ or no row", where};
    if (trimmed(row[explained->column("Why")]).empty()) return Error{"does not say why, expected a reason under 'Why'", where};
    count->second = *here;
  }
  return out;
}

std::string MeasuredCounts::differences(const CaseResult& result) const {
  std::map<Launch, Counts> counted;
  for (const device::KernelMeters& kernel : result.kernels)
    for (const auto& [metric, value] : device::as_ncu_metrics(kernel.counters)) counted[launch_of(result.name, kernel)][metric] += value;
  std::string out;
  const std::string prefix = fmt::format("case {}, ", result.name);
  for (const auto& [launch, counts] : launches_) {
    if (!launch.starts_with(prefix)) continue;
    const auto here = counted.find(launch);
    if (here == counted.end()) {
      out += fmt::format("{}{}: is not launched here", out.empty() ? "" : "; ", launch);
      continue;
    }
    for (const auto& [metric, count] : counts)
      if (here->second[metric] != count)
        out += fmt::format("{}{}: {} is {}, expected {}", out.empty() ? "" : "; ", launch, metric, here->second[metric], count);
  }
  return out;
}

}  // namespace warpbook::grade
