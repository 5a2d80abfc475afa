#pragma once
// What the author's gate asks of what every submission got. Cases must earn their place, and so must bounds: a right submission that nearly
// fails or a wrong one that nearly passes today will do so tomorrow, with another seed or another compiler.
#include <vector>

#include "judge/grade/verify.hpp"
#include "judge/grade/verify_entry.hpp"

namespace warpbook::grade {

/// A right submission's largest share of a bound.
inline constexpr double kLargestRightShare = 0.5;
/// A wrong value's least distance, in bounds, where a case kills by it.
inline constexpr double kLeastWrongShare = 2.0;

/// What was run, as far as a check depends on it.
struct GateScope {
  bool counted = true;  ///< on the virtual GPU, which counts passes and whose checkers report
  bool whole = true;    ///< every case was run
};

/// Error of the element that decides, in bounds; 0 when there is nothing to compare (a case that asks for finite values, NaN, no output).
double share_of_bound(const task::Task& task, const CaseResult& result);

/// Everything asked of one submission.
std::vector<Check> checks_of(const task::Task& task, const Entry& entry, const GateScope& scope);

/// Of every case: it kills a wrong submission.
std::vector<Check> checks_of_cases(const task::Task& task, const std::vector<Entry>& entries);

}  // namespace warpbook::grade
