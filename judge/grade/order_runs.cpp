#include "judge/grade/order_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warpbook::grade {
namespace {

using Order = vgpu::Schedule::Order;

constexpr std::uint64_t kSeed = 1;

struct OtherOrder {
  vgpu::Schedule schedule;
  const char* name;
};

const OtherOrder kOthers[] = {
    {{Order::kDescending, 0}, "from the last to the first"},
    {{Order::kSeeded, kSeed}, "in a shuffled order (--schedule 1)"},
};

/// The first element whose bits differ, as "y[2][5] is 1 in order and 2"; empty when all are the same.
std::string first_difference(const CaseResult& in_order, const CaseResult& other) {
  for (const Answer& a : in_order.answers) {
    const Answer* b = other.answer_of(a.tensor);
    if (b == nullptr || b->values.size() != a.values.size()) continue;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      if (std::bit_cast<std::uint64_t>(a.values[i]) == std::bit_cast<std::uint64_t>(b->values[i])) continue;
      const auto at = static_cast<std::int64_t>(i);
      return fmt::format("{}[{}][{}] is {:.9g} in order and {:.9g}", a.tensor, at / a.cols, at % a.cols, a.values[i], b->values[i]);
    }
  }
  return "";
}

/// What the accepted run answered where the other one is furthest off.
std::string accepted_value(const CaseResult& in_order, const CaseResult& other) {
  if (!other.worst) return "";
  const Answer* answer = in_order.answer_of(other.worst->tensor);
  if (answer == nullptr) return "";
  const auto at = static_cast<std::size_t>(other.worst->row * answer->cols + other.worst->column);
  return at < answer->values.size() ? fmt::format(" (in order the same element is {:.9g})", answer->values[at]) : "";
}

bool same_remark(const device::Fault& a, const device::Fault& b) {
  const auto place = [](const device::Fault& f) {
    return f.frames.empty() ? std::pair<std::string, int>() : std::pair(f.frames.front().file, f.frames.front().line);
  };
  return a.kind == b.kind && place(a) == place(b);
}

/// What the checkers said in another order and not in this one.
void add_remarks(CaseResult& result, const CaseResult& other) {
  for (const device::Fault& remark : other.remarks) {
    const bool known =
        std::any_of(result.remarks.begin(), result.remarks.end(), [&](const device::Fault& r) { return same_remark(r, remark); });
    if (!known) result.remarks.push_back(remark);
  }
}

double share_of_bound(const CaseResult& result) {
  return result.worst && result.worst->bound > 0 ? result.worst->error / result.worst->bound : 0;
}

}  // namespace

CaseResult run_in_orders(const std::function<CaseResult(const vgpu::Schedule&)>& run, bool every_order) {
  CaseResult result = run({});
  if (result.verdict != Verdict::kAccepted || !(result.order_matters || every_order)) return result;
  for (const OtherOrder& order : kOthers) {
    CaseResult other = run(order.schedule);
    if (other.verdict != Verdict::kAccepted) {
      other.notes.push_back(fmt::format("this happens only when blocks and warps run {}{}: what makes one wait for another?", order.name,
                                        accepted_value(result, other)));
      return other;
    }
    add_remarks(result, other);
    if (share_of_bound(other) > share_of_bound(result)) result.worst = other.worst;
    const std::string difference = first_difference(result, other);
    if (difference.empty() || !result.notes.empty()) continue;
    result.notes.push_back(
        fmt::format("the answer depends on the order: {} when blocks and warps run {}; both are within the bound", difference, order.name));
  }
  return result;
}

}  // namespace warpbook::grade
