#include "judge/commands/two_looks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbook::commands {
namespace {

std::string verdict_words(grade::Verdict verdict, grade::Reason reason) {
  const auto code = grade::code_of(verdict);
  return verdict == grade::Verdict::kAccepted ? std::string(code) : fmt::format("{} {}", code, grade::code_of(reason));
}

}  // namespace

std::string second_look(const grade::SubmissionResult& virtual_gpu, const grade::SubmissionResult& gpu) {
  const auto right =
      std::count_if(gpu.cases.begin(), gpu.cases.end(), [](const grade::CaseResult& c) { return c.verdict == grade::Verdict::kAccepted; });
  std::string differences;
  for (const grade::CaseResult& there : gpu.cases) {
    const auto here =
        std::find_if(virtual_gpu.cases.begin(), virtual_gpu.cases.end(), [&](const grade::CaseResult& c) { return c.name == there.name; });
    if (here == virtual_gpu.cases.end() || (here->verdict == there.verdict && here->reason == there.reason)) continue;
    differences += fmt::format("    {} ({} x {}): {} there, {} on the virtual GPU{}\n", there.name, there.rows, there.cols,
                               verdict_words(there.verdict, there.reason), verdict_words(here->verdict, here->reason),
                               there.message.empty() ? "" : ": " + there.message);
  }
  std::string text = fmt::format("  on {}: {}", gpu.provenance.device, verdict_words(gpu.verdict, gpu.reason));
  if (gpu.cases.empty()) return text + (gpu.message.empty() ? "" : ": " + gpu.message) + "\n";
  text += fmt::format(", {} of {} cases right", right, gpu.cases.size());
  return text + (differences.empty() ? ", as on the virtual GPU\n" : "; another verdict than on the virtual GPU:\n" + differences);
}

}  // namespace warpbook::commands
