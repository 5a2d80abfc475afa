#include "judge/report/passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpbook::report {

namespace {

/// As in the score: a few elements read twice make no pass.
constexpr double kTolerance = 0.05;

std::string count_text(double count) {
  constexpr std::array<const char*, 10> kWords = {"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
  const double whole = std::round(count);
  if (std::abs(count - whole) > kTolerance || whole >= static_cast<double>(kWords.size())) return fmt::format("{:.2f}", count);
  return kWords[static_cast<std::size_t>(whole)];
}

/// Reads of this tensor that the task promises; negative: none.
double promised_reads(const grade::SubmissionResult& r, const std::string& tensor) {
  for (const task::PassLimit& limit : r.promised)
    if (limit.tensor == tensor) return limit.read;
  return -1;
}

}  // namespace

std::string passes_sentence(const grade::SubmissionResult& r, task::CaseKind kind) {
  const grade::CaseResult* widest = nullptr;
  for (const grade::CaseResult& c : r.cases)
    if (c.kind == kind && !c.passes.empty() && (widest == nullptr || c.rows * c.cols > widest->rows * widest->cols)) widest = &c;
  if (widest == nullptr) return {};
  std::string tensors;
  const grade::PassCount* most = nullptr;
  for (const grade::PassCount& p : widest->passes) {
    const std::string read = p.read > 0 ? fmt::format("read {:.2f} times", p.read) : "";
    const std::string written = p.write > 0 ? fmt::format("written {:.2f} times", p.write) : "";
    if (read.empty() && written.empty()) continue;
    const char* between = read.empty() || written.empty() ? "" : " and ";
    tensors += fmt::format("{}{} {}{}{}", tensors.empty() ? "" : ", ", p.tensor, read, between, written);
    if (p.read > 0 && (most == nullptr || p.read > most->read)) most = &p;
  }
  if (tensors.empty()) return {};
  std::string sentence = fmt::format("passes over memory (case {}): {}", widest->name, tensors);
  if (most == nullptr) return sentence;
  const std::string count = count_text(most->read);
  sentence += fmt::format(": {} {}", count, count == "one" ? "pass" : "passes");
  const double best = promised_reads(r, most->tensor);
  if (best < 0 || most->read <= best + kTolerance) return sentence;
  const bool once = best <= 1 + kTolerance;
  return sentence + fmt::format("; {} {} possible{}", count_text(best), once ? "is" : "are",
                                once ? " with the row in registers or shared memory" : "");
}

}  // namespace warpbook::report
