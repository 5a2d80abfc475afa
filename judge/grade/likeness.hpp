#pragma once
// Are two failures of one case the same failure? A learner's file and a known mistake never agree bit for bit: another block size or loop
// form moves the last digits of every sum. So values are compared under the case's own bound, widened where a wrong value is larger
// than the right one would be (its rounding grows with it), NaN and infinities class by class, and faults by what they are and where.
#include <span>
#include <string>
#include <vector>

#include "common/operators/operator.hpp"
#include "judge/grade/result.hpp"

namespace warpbook::grade {

/// A submission's source lines, to tell places of two files apart; line N of the file is lines[N - 1].
struct SourceLines {
  std::string file;  ///< as frames name it
  std::vector<std::string> lines;
};

/// How much a failing case says about the mistake behind it, 0 to 1: wrong finite values say most, a row of NaN can come from many
/// mistakes, and where only "finite" is asked the values themselves are beyond the method.
double evidence(const CaseResult& failed, std::span<const operators::Expected> expected, task::CheckKind check);

/// How alike two results of the same case are, 0 (not the same failure) to 1.
double likeness(const CaseResult& learner, const SourceLines& learner_source, const CaseResult& known, const SourceLines& known_source,
                std::span<const operators::Expected> expected, task::CheckKind check);

/// How alike the errors of two results are where the values are not the same, 0 to 1: over the elements that either gets wrong, 1/2 for each
/// that both get wrong in the same way (too high, too low, NaN, an infinity) and 1 where the errors are of about the same size, too. A sum
/// that lost its last warp is another number at another block size, but it is too small in the same rows. 0: nothing to compare.
double same_error(const CaseResult& learner, const CaseResult& known, std::span<const operators::Expected> expected);

/// Names of the CUDA runtime's functions that a source calls, sorted, each once. Host code that fails in the same way can often be told
/// apart only by what it does not ask for.
std::vector<std::string> runtime_calls(const std::string& source);

}  // namespace warpbook::grade
