#include "judge/gpu/ncu_figures.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "judge/base/files.hpp"

namespace warpbook::gpu {
namespace {

constexpr const char* kTime = "gpu__time_duration.sum";
constexpr const char* kMemory = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kRead = "dram__bytes_read.sum";
constexpr const char* kWritten = "dram__bytes_write.sum";
constexpr const char* kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kBankConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr const char* kSharedWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
constexpr const char* kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* kIssued = "smsp__issue_active.avg.pct_of_peak_sustained_active";
constexpr const char* kAllMetrics[] = {kTime,          kMemory,       kRead,          kWritten,          kLoadRequests, kLoadSectors,
                                       kStoreRequests, kStoreSectors, kBankConflicts, kSharedWavefronts, kWarps,        kIssued};

constexpr const char* kKernelColumn = "Kernel Name";
constexpr const char* kBetweenCases = "warpbook_next_case";  // the program's own mark (common/kernel/case_program.cuh)

/// A line of CSV as its cells; quotes are taken off.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) cells.emplace_back();
    else if (c != '\r') cells.back() += c;
  }
  return cells;
}

/// What one of a unit is in base units.
double scale_of(std::string_view unit) {
  static const std::map<std::string_view, double> scales = {
      {"ns", 1e-9},      {"nsecond", 1e-9}, {"us", 1e-6},   {"usecond", 1e-6}, {"ms", 1e-3},
      {"msecond", 1e-3}, {"Kbyte", 1e3},    {"Mbyte", 1e6}, {"Gbyte", 1e9},
  };
  const auto found = scales.find(unit);
  return found == scales.end() ? 1 : found->second;
}

/// "1,234.5" as a number; nothing for "n/a".
std::optional<double> number_in(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> metric(const ProfiledLaunch& launch, const char* name) {
  const auto found = launch.metrics.find(name);
  return found == launch.metrics.end() ? std::nullopt : std::optional(found->second);
}

std::string sentence_on_memory(double percent) {
  if (percent >= 80) return "memory is the limit: only moving fewer bytes makes this faster";
  if (percent >= 50) return "memory is busy but waits at times: more loads in flight in each thread keep it busy";
  return "memory mostly waits: too few loads are in flight, or the arithmetic and the barriers between them take too long";
}

std::string sentence_on_bytes(double times) {
  if (times < 0.9) return "less than must be moved: the rest lay in the L2 cache from the launch before";
  if (times <= 1.1) return "nothing is moved twice";
  return "a row is fetched more than once from memory: keep it in registers or shared memory between the passes";
}

std::string sentence_on_sectors(double sectors, const char* what) {
  if (sectors > 16.5) return fmt::format("more than 128 bytes a request: wide or scattered {}; with float4 16 is the best", what);
  if (sectors >= 3.5) return fmt::format("neighbouring lanes {} neighbouring addresses", what);
  return fmt::format("few lanes take part, or all {} one address", what);
}

/// Sectors of requests of one kind, as a figure; nothing when there are none.
std::optional<ProfileFigure> sector_figure(const ProfiledLaunch& launch, const char* sectors, const char* requests, const char* name,
                                           const char* what) {
  const auto s = metric(launch, sectors), r = metric(launch, requests);
  if (!s || !r || *r <= 0) return std::nullopt;
  return ProfileFigure{name, fmt::format("{:.1f} sectors a request", *s / *r), sentence_on_sectors(*s / *r, what)};
}

}  // namespace

std::vector<std::string> ncu_words() {
  std::string metrics;
  for (const char* name : kAllMetrics) metrics += (metrics.empty() ? "" : ",") + std::string(name);
  // The clocks are left alone: the machine may not be ours. Caches are emptied before each pass, as for cold inputs.
  return {"--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "all", "--metrics", metrics};
}

Result<std::vector<ProfiledLaunch>> read_ncu(std::string_view printed) {
  std::vector<std::string> names, units, complaints;
  std::vector<ProfiledLaunch> launches;
  for (const std::string& line : split_lines(printed)) {
    if (line.empty()) continue;
    if (line[0] != '"') {
      if (line.find("ERR") != std::string::npos || line.find("rror") != std::string::npos) complaints.push_back(line);
      continue;
    }
    std::vector<std::string> cells = cells_of(line);
    if (names.empty()) names = std::move(cells);
    else if (units.empty()) units = std::move(cells);
    else {
      ProfiledLaunch launch;
      for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) {
        if (names[i] == kKernelColumn) launch.kernel = cells[i];
        const auto value = number_in(cells[i]);
        if (value) launch.metrics[names[i]] = *value * scale_of(i < units.size() ? units[i] : "");
      }
      if (launch.kernel.find(kBetweenCases) == std::string::npos) launches.push_back(std::move(launch));
    }
  }
  if (!launches.empty()) return launches;
  return Error{complaints.empty() ? "ncu saw no launch" : "ncu says: " + complaints.front()};
}

std::vector<ProfileFigure> figures_of(const ProfiledLaunch& launch, std::uint64_t bytes) {
  std::vector<ProfileFigure> figures;
  if (const auto time = metric(launch, kTime))
    figures.push_back({"time", fmt::format("{:.2f} us", *time * 1e6),
                       "of one launch with cold caches, while it is watched: slower than in a run of many"});
  if (const auto memory = metric(launch, kMemory))
    figures.push_back({"memory", fmt::format("{:.0f} % of its peak", *memory), sentence_on_memory(*memory)});
  const auto read = metric(launch, kRead), written = metric(launch, kWritten);
  if (read && written && bytes > 0) {
    const double times = (*read + *written) / static_cast<double>(bytes);
    figures.push_back({"bytes moved", fmt::format("{:.2f} times what must be", times), sentence_on_bytes(times)});
  }
  if (auto loads = sector_figure(launch, kLoadSectors, kLoadRequests, "loads", "read")) figures.push_back(std::move(*loads));
  if (auto stores = sector_figure(launch, kStoreSectors, kStoreRequests, "stores", "write")) figures.push_back(std::move(*stores));
  const auto conflicts = metric(launch, kBankConflicts), wavefronts = metric(launch, kSharedWavefronts);
  if (conflicts && wavefronts && *wavefronts > 0) {
    const double percent = 100 * *conflicts / *wavefronts;
    figures.push_back({"bank conflicts", fmt::format("{:.0f} % of the wavefronts", percent),
                       percent > 10 ? "lanes of a warp meet in the same bank of shared memory: shift the rows by one word"
                                    : "shared memory answers nearly every request at once"});
  }
  if (const auto warps = metric(launch, kWarps))
    figures.push_back({"warps", fmt::format("{:.0f} % of the places filled", *warps),
                       *warps < 40 ? "few warps hide each other's waiting: fewer registers or less shared memory a block lets more in"
                                   : "enough warps to wait in turns"});
  if (const auto issued = metric(launch, kIssued))
    figures.push_back({"instructions", fmt::format("issued in {:.0f} % of the cycles", *issued),
                       *issued > 70 ? "the arithmetic is the limit: fewer instructions an element make this faster"
                                    : "the schedulers have time to spare: the kernel waits, it does not compute"});
  return figures;
}

}  // namespace warpbook::gpu
