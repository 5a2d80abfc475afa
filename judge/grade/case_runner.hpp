#pragma once
// One case on one bench: place, fill, run, read back, compare. A straight line.
#include <filesystem>

#include "judge/grade/bench.hpp"
#include "judge/grade/case_data.hpp"

namespace warpbook::grade {

/// Never fails: whatever goes wrong on our side is the case's judge error.
CaseResult run_case(const task::Task& task, const task::Case& c, const CaseSetup& setup, const std::filesystem::path& library,
                    Bench& bench);

}  // namespace warpbook::grade
