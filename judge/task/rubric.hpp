#pragma once
// Text answers: links from a cause to an effect, each earned by accepted wordings.
#include <string>
#include <string_view>
#include <vector>

#include "judge/task/task.hpp"

namespace warpbook::task {

inline constexpr std::string_view kExplanationId = "explanation";
inline constexpr std::string_view kBoundaryLink = "boundary";
inline constexpr std::string_view kTradeOffLink = "trade-off";
/// Longer answers are not read.
inline constexpr std::size_t kLongestAnswer = 16 * 1024;

/// What an answer made of one link.
struct LinkMark {
  std::string name;
  double points = 0;
  bool earned = false, has_cause = false, has_effect = false;
};

/// Sentences of a text: they end at . ! ? ; with white space behind, at their Chinese forms, and at empty lines.
std::vector<std::string> sentences_of(std::string_view text);

/// Marks every link of a text question. In the explanation the tags and names of boundary cases count as causes of the boundary link.
std::vector<LinkMark> mark_rubric(const Task& task, const Question& question, std::string_view answer);

/// True when the answer names a failed case (by tag or name) and says why within the same or a neighbouring sentence.
bool explains_failure(std::string_view answer, const std::vector<std::string>& failed);

/// Why a wording is no regular expression; empty when it is one.
std::string wording_fault(const std::string& wording);

}  // namespace warpbook::task
