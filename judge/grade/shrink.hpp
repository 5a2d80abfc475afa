#pragma once
// A failing input made small: one row, then the fewest columns, then the plainest values that still fail in the same way. A learner who
// sees `x=[89]` needs no debugger. After delta debugging (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// IEEE Transactions on Software Engineering 28, 2002), with what is known of rows put first: short lengths are tried upwards, since a
// failure that needs 33 columns says more as 33 than as 31 dropped from 64.
//
// This file knows cases and a question, "which of these still fail so?", and nothing of devices; shrink_run.hpp asks the question.
#include <chrono>
#include <functional>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

/// For each case whether it fails in the same way as the one that is being shrunk. Asked for a few at a time.
using StillFails = std::function<std::vector<bool>(const std::vector<task::Case>&)>;

struct ShrinkOptions {
  std::chrono::milliseconds time_limit{2000};
  std::size_t at_once = 2;           ///< cases in one question
  std::int64_t row = 0, column = 0;  ///< where the failure showed: tried first
};

/// The case with every input spelled out as values, as the kernel gets them under `seed`; nothing else changes.
Result<task::Case> spell_out(const task::Task& task, const task::Case& c, std::uint64_t seed);

/// The smallest case found within the time; `spelled` itself when none smaller fails. Never grows.
task::Case shrink(const task::Task& task, const task::Case& spelled, const StillFails& still_fails, const ShrinkOptions& options);

}  // namespace warpbook::grade
