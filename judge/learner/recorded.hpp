#pragma once
// What a learner's earlier runs measured: answers may claim it.
#include <string>
#include <vector>

#include "judge/learner/workbook.hpp"
#include "judge/task/claims.hpp"

namespace warpbook::learner {

/// Oldest first; empty when there is no store or it cannot be read (the command that records says so).
std::vector<task::Measurement> recorded_measurements(const Workbook& workbook, const std::string& task);

}  // namespace warpbook::learner
