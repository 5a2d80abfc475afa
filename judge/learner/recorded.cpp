#include "judge/learner/recorded.hpp"

#include "judge/learner/open_progress.hpp"

namespace warpbook::learner {
namespace {
/// Of the last twenty runs or so: a run records some 300 figures.
constexpr int kRemembered = 6000;
}  // namespace

std::vector<task::Measurement> recorded_measurements(const Workbook& workbook, const std::string& task) {
  std::vector<task::Measurement> out;
  if (!has_progress(workbook)) return out;
  const auto store = open_progress(workbook);
  if (!store) return out;
  const auto known = (*store)->measurements(task, kRemembered);
  if (!known) return out;
  for (const store::RecordedMeasurement& m : *known) out.push_back({m.name, m.value, m.unit});
  return out;
}

}  // namespace warpbook::learner
