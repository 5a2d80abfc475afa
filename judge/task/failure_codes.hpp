#pragma once
// The codes under which a failure may be known to a manifest. They belong to judge/grade, into which this room does not look; a test
// there compares the two lists.
#include <string>
#include <vector>

namespace warpbook::task {

/// Codes of the reasons for which a learner's code fails ("race", "not-finite") and of the verdicts ("WA"); judge errors are not among
/// them, for they say nothing of the code.
const std::vector<std::string>& failure_codes();

}  // namespace warpbook::task
