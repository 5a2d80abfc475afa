#pragma once
// Occupancy of the kernels that a submission launched: the launches are the device's knowledge, the registers the assembler's.
#include <string>
#include <vector>

#include "judge/grade/submission.hpp"

namespace warpbook::grade {

/// Completes the meters of every case. Returns the reason why not, where ptxas cannot be asked; empty when all is well.
std::string add_occupancy(std::vector<CaseResult>& results, const toolchain::Artifact& artifact, const GradeOptions& options);

}  // namespace warpbook::grade
