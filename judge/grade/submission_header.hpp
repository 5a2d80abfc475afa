#pragma once
// The first lines of an author's wrong or correct submission say what it is:
//   // verdict: WA                     what it must get in each of its cases (a list: any of them)
//   // reason: value                   and why
//   // cases: tail, one-column         exactly those that must fail
//   // mistake: divides by blockDim    its name, for people
//   // question: by what is a sum...?   what a learner who made it is asked before the name is told
//   // mistake-of: no-shift           in a trial of the naming of mistakes: whose it is, or none
//   // vgpu-only                       a GPU does not show it
//   // medal: lost                     right, but more passes than promised
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/grade/verdict.hpp"

namespace warpbook::grade {

struct SubmissionHeader {
  std::vector<Verdict> verdicts;  ///< any of them
  std::vector<Reason> reasons;    ///< any of them; empty: not stated
  std::vector<std::string> cases;
  std::string mistake;
  std::string question;  ///< ends with a question mark; does not give the answer
  std::string mistake_of;
  bool vgpu_only = false;
  bool medal_lost = false;
};

/// Reads the leading comment lines of `text`; an unknown key or value is an error with its line and what is known.
Result<SubmissionHeader> read_submission_header(const std::string& shown_name, const std::string& text);

/// The text behind the header lines: what a learner would have handed in.
std::string without_header(const std::string& text);

}  // namespace warpbook::grade
