#pragma once
// What a learner's earlier runs measured: answers may claim it.
#include <string>
#include <vector>

#include "judge/commands/command.hpp"
#include "judge/task/claims.hpp"

namespace warpbook::commands {

/// Oldest first; empty when there is no store or it cannot be read (the command that records says so).
std::vector<task::Measurement> recorded_measurements(const Context& context, const std::string& task);

}  // namespace warpbook::commands
