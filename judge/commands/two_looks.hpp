#pragma once
// One file judged on the virtual GPU and on a real one: what the second look adds to the first.
#include <string>

#include "judge/grade/result.hpp"

namespace warpbook::commands {

/// "on NVIDIA H200: AC, 18 of 18 cases right, as on the virtual GPU", or a line for every case that went another way; ends with a newline.
std::string second_look(const grade::SubmissionResult& virtual_gpu, const grade::SubmissionResult& gpu);

}  // namespace warpbook::commands
