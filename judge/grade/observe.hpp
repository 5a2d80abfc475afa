#pragma once
// What submissions do with a few cases, kept whole: verdict, fault and every value that came back. A verdict needs none of the values
// afterwards; whoever asks *what kind* of failure this is does (diagnose.hpp, shrink_run.hpp). Always on the virtual GPU, whichever
// device gave the verdict: only there do two submissions see the same memory, the same order of warps and the same checkers.
#include <vector>

#include "judge/grade/submission.hpp"

namespace warpbook::grade {

/// What one submission did, case by case in the order asked for; `answers` of each result holds the values that came back. Empty when
/// its process did not come back.
using Observations = std::vector<CaseResult>;

/// Runs every artifact on every case, each artifact in a process of its own, `options.jobs` at once. An artifact that cannot be run
/// observes nothing.
std::vector<Observations> observe(const task::Task& task, const std::vector<task::Case>& cases,
                                  const std::vector<toolchain::Artifact>& artifacts, const GradeOptions& options);

/// Results with their values as one text, and back; what `observe` sends from its processes. Nothing when the text is damaged.
std::string pack(const Observations& observations);
std::optional<Observations> unpack(std::string_view text);

}  // namespace warpbook::grade
