#pragma once
// How the learner's latest attempt failed, in the words by which hints are chosen.
#include <string>
#include <vector>

#include "judge/store/store.hpp"

namespace warpbook::learner {

/// Tags of the failed cases, then the codes of reasons, then of verdicts, each once; empty when nothing was judged yet or all is well.
/// Attempts that were cut short, and the judge's own failures, are passed over.
std::vector<std::string> latest_failure(store::Store& store, const std::string& task);

}  // namespace warpbook::learner
