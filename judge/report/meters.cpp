#include "judge/report/meters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace warpbook::report {

namespace {

using device::Counters;
using device::KernelMeters;

constexpr std::size_t kColumns = 140;
/// Lines without counts that are still shown between two that have some.
constexpr int kGap = 3;

std::string with_commas(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

/// "12.8M": margins are narrow.
std::string short_count(std::uint64_t value) {
  constexpr std::uint64_t kMillion = 1'000'000, kThousand = 1000;
  if (value >= 100 * kMillion) return fmt::format("{}M", value / kMillion);
  if (value >= 10 * kMillion) return fmt::format("{:.1f}M", static_cast<double>(value) / kMillion);
  return value >= kMillion ? fmt::format("{}k", value / kThousand) : std::to_string(value);
}

std::string each(std::uint64_t amount, std::uint64_t of) {
  return of == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(amount) / static_cast<double>(of));
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr double kKilo = 1000, kMega = 1000 * kKilo;
  const auto value = static_cast<double>(bytes);
  if (value >= kMega) return fmt::format("{:.2f} MB", value / kMega);
  return value >= 10 * kKilo ? fmt::format("{:.1f} kB", value / kKilo) : fmt::format("{} bytes", bytes);
}

std::uint64_t global_requests(const Counters& c) {
  return c.global_load_requests + c.global_store_requests + c.global_atomic_requests + c.global_reduction_requests;
}

constexpr const char* kMarginHead = " warp i. lanes| global  sect ideal| shared waves ideal| divergent|";

std::string margin(const Counters& c) {
  const std::uint64_t requests = global_requests(c), branches = c.divergent_branches + c.uniform_branches;
  return fmt::format("{:>8} {:>5}|{:>7} {:>5} {:>5}|{:>7} {:>5} {:>5}|{:>10}|", short_count(c.warp_instructions),
                     fmt::format("{:.1f}", static_cast<double>(c.thread_instructions) /
                                               static_cast<double>(std::max<std::uint64_t>(c.warp_instructions, 1))),
                     requests == 0 ? "" : short_count(requests), each(c.global_sectors, requests), each(c.global_ideal_sectors, requests),
                     c.shared_requests == 0 ? "" : short_count(c.shared_requests), each(c.shared_wavefronts, c.shared_requests),
                     each(c.shared_ideal_wavefronts, c.shared_requests),
                     c.divergent_branches == 0 ? "" : fmt::format("{}/{}", short_count(c.divergent_branches), short_count(branches)));
}

/// Counts by line of the learner's file, and of what cannot be told to a line of it.
struct Lines {
  std::map<int, Counters> own;
  std::map<std::pair<std::string, int>, Counters> others;
};

Lines lines_of(const grade::CaseResult& c, const std::string& file) {
  Lines lines;
  for (const KernelMeters& kernel : c.kernels) {
    for (const device::LineMeters& line : kernel.lines) {
      const auto own = std::find_if(line.frames.begin(), line.frames.end(), [&](const device::Frame& f) { return f.file == file; });
      if (own != line.frames.end()) lines.own[own->line] += line.counters;
      else if (!line.frames.empty()) lines.others[{line.frames.front().file, line.frames.front().line}] += line.counters;
    }
  }
  return lines;
}

std::string clipped(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() <= kColumns) return line + "\n";
  std::size_t end = kColumns - 1;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0u) == 0x80u) --end;  // never half a character
  return line.substr(0, end) + "…\n";
}

std::string source_with_margin(const Lines& lines, const std::string& file, const TerminalOptions& options) {
  if (lines.own.empty()) return {};
  const std::string blank(std::string_view(kMarginHead).size(), ' ');
  std::string out = options.style.paint(Ink::kDim, kMarginHead) + "\n";
  int last = lines.own.begin()->first - 1;
  for (const auto& [number, counters] : lines.own) {
    if (number - last > kGap + 1) {
      out += blank + "  ...\n";
      last = number - 1;
    }
    for (int between = last + 1; between <= number; ++between) {
      const std::string text = options.source ? options.source(file, between) : "";
      out += clipped(fmt::format("{}{:>4}  {}", between == number ? margin(counters) : blank, between, text));
    }
    last = number;
  }
  return out;
}

std::string elsewhere(const Lines& lines) {
  std::string out;
  for (const auto& [place, counters] : lines.others)
    out += clipped(fmt::format("{}  {}:{}", margin(counters), std::filesystem::path(place.first).filename().string(), place.second));
  return out;
}

/// One line of the table: nothing when there were no requests.
std::string memory_line(const char* what, std::uint64_t requests, std::uint64_t sectors) {
  if (requests == 0) return {};
  return fmt::format("    {:<22}{:>14} requests {:>15} sectors  {:>6} a request\n", what, with_commas(requests), with_commas(sectors),
                     each(sectors, requests));
}

std::string occupancy_line(const KernelMeters& kernel, const std::string& why_not) {
  if (!kernel.occupancy) return why_not.empty() ? "" : fmt::format("    {:<22}unknown: {}\n", "occupancy", why_not);
  const device::Occupancy& o = *kernel.occupancy;
  if (o.blocks == 0) return fmt::format("    {:<22}none: not one block fits; {} are the limit\n", "occupancy", device::name_of(o.limit));
  const std::string spills =
      o.spilled_bytes == 0 ? ""
                           : fmt::format("    {:<22}{:>14} bytes a thread: registers kept in local memory\n", "spilled", o.spilled_bytes);
  return fmt::format("    {:<22}{:>13.0f}%  {} blocks, {} of {} warps; limit: {}; {} registers a thread, {} bytes of shared memory\n",
                     "occupancy (sm_80)", o.share() * 100, o.blocks, o.warps, o.warps_of, device::name_of(o.limit), o.registers,
                     with_commas(kernel.static_shared + kernel.dynamic_shared)) +
         spills;
}

std::string kernel_table(const KernelMeters& k, const std::string& why_no_occupancy, const Style& style) {
  const Counters& c = k.counters;
  std::string out = fmt::format("\n  {}  grid {} x {} x {}, block {} x {} x {}, {}\n",
                                style.paint(Ink::kBold, k.kernel.substr(0, k.kernel.find('('))), k.grid.x, k.grid.y, k.grid.z, k.block.x,
                                k.block.y, k.block.z, k.launches == 1 ? "one launch" : fmt::format("{} launches", k.launches));
  out += memory_line("global loads", c.global_load_requests, c.global_load_sectors);
  out += memory_line("global stores", c.global_store_requests, c.global_store_sectors);
  out += memory_line("global atomics", c.global_atomic_requests, c.global_atomic_sectors);
  out += memory_line("global reductions", c.global_reduction_requests, c.global_reduction_sectors);
  if (c.global_sectors > 0)
    out += fmt::format("    {:<22}{:>14} sectors; {} would do for the same bytes\n", "all global", with_commas(c.global_sectors),
                       with_commas(c.global_ideal_sectors));
  out += memory_line("local loads", c.local_load_requests, c.local_load_sectors);
  out += memory_line("local stores", c.local_store_requests, c.local_store_sectors);
  if (c.shared_requests > 0)
    out += fmt::format("    {:<22}{:>14} requests {:>15} wavefronts; {} without bank conflicts\n", "shared memory",
                       with_commas(c.shared_requests), with_commas(c.shared_wavefronts), with_commas(c.shared_ideal_wavefronts));
  out +=
      fmt::format("    {:<22}{:>14} of a warp {:>14} of threads  {:>6} lanes at work\n", "instructions", with_commas(c.warp_instructions),
                  with_commas(c.thread_instructions), each(c.thread_instructions, c.warp_instructions));
  if (c.divergent_branches + c.uniform_branches > 0)
    out += fmt::format("    {:<22}{:>14} divergent {:>14} uniform\n", "branches", with_commas(c.divergent_branches),
                       with_commas(c.uniform_branches));
  if (c.barriers > 0) out += fmt::format("    {:<22}{:>14} by warps\n", "barriers", with_commas(c.barriers));
  if (!k.lines.empty())
    out += fmt::format("    {:<22}{:>14} read, {} written: every sector once\n    {:<22}{:>14} read, {} written: if no cache ever hit\n",
                       "DRAM at least", bytes_text(k.compulsory_read_bytes), bytes_text(k.compulsory_write_bytes), "DRAM at most",
                       bytes_text(k.uncached_read_bytes()), bytes_text(k.uncached_write_bytes()));
  return out + occupancy_line(k, why_no_occupancy);
}

const grade::CaseResult* case_of(const grade::SubmissionResult& r, const std::string& name) {
  const grade::CaseResult* best = nullptr;
  for (const grade::CaseResult& c : r.cases) {
    if (c.kernels.empty() || (!name.empty() && c.name != name)) continue;
    const auto rank = [](const grade::CaseResult& one) { return std::pair(one.kind == task::CaseKind::kNormal, one.rows * one.cols); };
    if (best == nullptr || rank(c) > rank(*best)) best = &c;
  }
  return best;
}

}  // namespace

std::string render_meters(const grade::SubmissionResult& r, const std::string& case_name, const TerminalOptions& options) {
  const grade::CaseResult* c = case_of(r, case_name);
  if (c == nullptr) return {};
  const Lines lines = lines_of(*c, r.file);
  std::string out = fmt::format(
      "\n  meters of case {} ({} x {}): warp instructions, lanes at work; requests to global memory and sectors of each;\n"
      "  requests to shared memory and wavefronts of each; branches at which the lanes of a warp parted\n\n",
      c->name, c->rows, c->cols);
  out += source_with_margin(lines, r.file, options);
  const std::string other = elsewhere(lines);
  if (!other.empty()) out += "  in functions of other files\n" + other;
  for (const KernelMeters& kernel : c->kernels) out += kernel_table(kernel, r.no_occupancy, options.style);
  return out;
}

}  // namespace warpbook::report
