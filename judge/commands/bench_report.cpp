#include "judge/commands/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbook::commands {
namespace {

using gpu::StatementKind;
using nlohmann::json;

constexpr int kCaseWidth = 18, kShapeWidth = 16, kIndent = 4;

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.3f} ms", seconds * 1e3);
}

std::string row_start(const gpu::Measurement& m) {
  return "  " + report::pad(m.case_name, kCaseWidth) + report::pad(fmt::format("{} x {}", m.rows, m.cols), kShapeWidth);
}

report::Ink ink_of(StatementKind kind) {
  switch (kind) {
    case StatementKind::kMeasured: return report::Ink::kPlain;
    case StatementKind::kNotMeasurable:
    case StatementKind::kFailed: return report::Ink::kYellow;
    case StatementKind::kNotAccepted:
    case StatementKind::kWrong: return report::Ink::kRed;
  }
  return report::Ink::kPlain;
}

std::string figures(const gpu::Statement& s) {
  std::string text = fmt::format("{:>10} ±{:.1f} %{:>7.0f}", time_text(s.own->seconds), s.own->spread * 100, *s.bytes_per_second / 1e9);
  text += s.share ? fmt::format("{:>8.1f} %", *s.share * 100) : fmt::format("{:>10}", "-");
  text += fmt::format("{:>12}", s.copy_seconds ? time_text(*s.copy_seconds) : "-");
  if (s.times_reference) text += fmt::format("{:>12} ({:.2f} times it)", time_text(*s.reference), *s.times_reference);
  return text;
}

json timing_json(const std::vector<gpu::RoundPair>& pairs) {
  const auto timing = gpu::timing_of(pairs);
  if (!timing) return nullptr;
  return {{"seconds", timing->seconds}, {"spread", timing->spread}, {"device_seconds", timing->device_seconds}};
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

}  // namespace

std::string bench_head() {
  return "  " + report::pad("case", kCaseWidth) + report::pad("shape", kShapeWidth) +
         fmt::format("{:>10} {:6} {:>6}{:>10}{:>12}{:>12} {}\n", "time", "", "GB/s", "ceiling", "best copy", "reference",
                     "(its time by ours)");
}

std::string bench_row(const BenchCase& c, const report::Style& style) {
  const gpu::Statement& s = c.statement;
  std::string text = row_start(c.measurement);
  if (s.kind == StatementKind::kMeasured) {
    text += figures(s) + "\n";
  } else {
    text += style.paint(ink_of(s.kind), gpu::name_of(s.kind)) + "\n" + report::wrap(s.why, style.width, kIndent);
    if (!text.ends_with('\n')) text += '\n';
  }
  for (const std::string& remark : s.remarks) {
    text += style.paint(report::Ink::kDim, report::wrap(remark, style.width, kIndent));
    if (!text.ends_with('\n')) text += '\n';
  }
  return text;
}

std::string bench_clocks(const std::vector<BenchCase>& cases) {
  unsigned least_sm = ~0u, most_sm = 0, least_memory = ~0u, most_memory = 0, hottest = 0, possible = 0;
  for (const BenchCase& c : cases)
    for (const gpu::ClockReading& r : c.measurement.clocks) {
      least_sm = std::min(least_sm, r.sm_mhz);
      most_sm = std::max(most_sm, r.sm_mhz);
      least_memory = std::min(least_memory, r.memory_mhz);
      most_memory = std::max(most_memory, r.memory_mhz);
      hottest = std::max(hottest, r.temperature);
      possible = std::max(possible, r.most_sm_mhz);
    }
  if (most_sm == 0) return {};
  return fmt::format("  clocks: SM {} to {} MHz of {}, memory {} to {} MHz; at most {} C\n", least_sm, most_sm, possible, least_memory,
                     most_memory, hottest);
}

const BenchCase* least_share(const std::vector<BenchCase>& cases) {
  const BenchCase* least = nullptr;
  for (const BenchCase& c : cases) {
    if (c.statement.kind != StatementKind::kMeasured) return nullptr;
    if (c.statement.share && (least == nullptr || *c.statement.share < *least->statement.share)) least = &c;
  }
  return least;
}

json bench_json(const grade::SubmissionResult& judged, const std::vector<BenchCase>& cases) {
  json list = json::array();
  for (const BenchCase& c : cases) {
    const gpu::Statement& s = c.statement;
    json copies = json::object();
    for (const gpu::Contestant& copy : c.measurement.copies) copies[copy.name] = timing_json(copy.pairs);
    json one = {{"case", c.measurement.case_name},
                {"rows", c.measurement.rows},
                {"cols", c.measurement.cols},
                {"bytes", c.measurement.bytes},
                {"statement", gpu::name_of(s.kind)},
                {"why", s.why},
                {"remarks", s.remarks},
                {"time", timing_json(c.measurement.own.pairs)},
                {"bytes_per_second", or_null(s.bytes_per_second)},
                {"share", or_null(s.share)},
                {"best_copy", s.best_copy},
                {"copies", std::move(copies)},
                {"empty_kernel", timing_json(c.measurement.nothing.pairs)},
                {"reference", c.measurement.reference ? timing_json(c.measurement.reference->pairs) : json(nullptr)},
                {"times_reference", or_null(s.times_reference)},
                {"evidence", gpu::to_json(c.measurement)}};
    // A time that is not stated is not found behind the statement either.
    if (s.kind == StatementKind::kWrong || s.kind == StatementKind::kNotAccepted) one["time"] = nullptr;
    list.push_back(std::move(one));
  }
  return {{"task", judged.task_id},
          {"file", judged.file},
          {"device", judged.provenance.device},
          {"toolchain", judged.provenance.toolchain},
          {"judge_version", judged.provenance.judge_version},
          {"source_hash", judged.provenance.source_hash},
          {"verdict", grade::code_of(judged.verdict)},
          {"medal", grade::name_of(judged.medal)},
          {"medal_reason", judged.medal_reason},
          {"cases", std::move(list)}};
}

}  // namespace warpbook::commands
