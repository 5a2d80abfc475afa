#pragma once
// Which file a command that grades or traces works on: the learner's, a named one, or the reference solution.
#include <cxxopts.hpp>

#include "judge/commands/command.hpp"
#include "judge/grade/submission.hpp"
#include "judge/report/terminal.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

struct Submitted {
  grade::Submission submission;
  bool reference = false;
  bool author = false;   ///< an author's wrong or correct submission: judged as a whole, never recorded
  bool by_hand = false;  ///< judged on an input from the command line: nothing of it is recorded
};

/// Reads the file that `parsed` names ("file", "solution", "author"), by default work/TASK/exercise.cu. The error says what is missing.
Result<Submitted> read_submitted(const Context& context, const task::Task& task, const cxxopts::ParseResult& parsed);

/// Lines of the submission, for reports.
report::SourceLookup source_lookup(const grade::Submission& submission);

}  // namespace warpbook::commands
