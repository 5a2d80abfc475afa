#pragma once
// Inputs on which mistakes part. In a row of a thousand columns a mistake in merging two sums gives another wrong value at every block size
// and for every shape of the tree, so values say little. In a row of two or three there is one merge, every algorithm makes the same
// one, and the wrong value is that of the mistake. A tree may take its parts from the left or from the right: each probe comes with
// its mirror image, and two files agree when one does with the probe what the other does with the image.
#include <span>
#include <vector>

#include "judge/grade/likeness.hpp"
#include "judge/grade/result.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

/// A short input and what is right on it.
struct Probe {
  task::Case input;
  std::vector<operators::Expected> expected;
};

/// Probe and mirror image by turns, cut out of failing cases of `task` under `seed`; empty where nothing can be cut that the operator
/// takes.
std::vector<Probe> probes_of(const task::Task& task, const std::vector<task::Case>& failing, std::uint64_t seed);

/// What a learner's file and a known mistake did with the probes, in their order, and what was right.
struct ProbedCase {
  const CaseResult* learner = nullptr;
  const CaseResult* known = nullptr;
  std::span<const operators::Expected> expected;
};

/// How alike they behaved, 0 to 1: over the rows that either got wrong, the share of those that both got wrong with the same values. A
/// launch that a fault ended counts as one row, alike as far as the faults are. Negative: the learner's file was right on every probe,
/// which says nothing.
double probe_likeness(std::span<const ProbedCase> probes, const SourceLines& learner_source, const SourceLines& known_source);

}  // namespace warpbook::grade
