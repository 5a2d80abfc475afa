// A rubric must not be a word match: "clamp" and "NaN" somewhere in a page say nothing. A link therefore asks for a cause and for
// its effect close together, in one sentence or in two neighbouring ones. It cannot see negation or irony, which is why every text
// mark is provisional. Wordings are regular expressions of the library's breadth-first matcher, whose time is polynomial: the
// default one recurses once per byte (a long answer ends the process) and takes exponential time on some patterns.
#include "judge/task/rubric.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

#include "judge/base/text.hpp"

namespace warpbook::task {
namespace {

/// Longer sentences are cut, so that matching stays quadratic in this and not in the answer.
constexpr std::size_t kLongestSentence = 600;
/// The library's compiler recurses on parentheses; a wording is a line, not a page.
constexpr std::size_t kLongestWording = 1000;

std::regex compile(const std::string& wording) {
  return std::regex(wording, std::regex::ECMAScript | std::regex::icase | std::regex_constants::__polynomial);
}

/// Which sentences one of the wordings stands in.
std::vector<bool> found_in(const std::vector<std::string>& sentences, const std::vector<std::string>& wordings) {
  std::vector<bool> found(sentences.size(), false);
  for (const std::string& wording : wordings) {
    if (!wording_fault(wording).empty()) continue;
    const std::regex expression = compile(wording);
    for (std::size_t i = 0; i < sentences.size(); ++i)
      if (!found[i]) found[i] = std::regex_search(sentences[i], expression);
  }
  return found;
}

bool any(const std::vector<bool>& found) { return std::find(found.begin(), found.end(), true) != found.end(); }

/// True when both stand in one sentence or in two that touch.
bool meet(const std::vector<bool>& a, const std::vector<bool>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i]) continue;
    if (b[i] || (i > 0 && b[i - 1]) || (i + 1 < b.size() && b[i + 1])) return true;
  }
  return false;
}

/// "negative-variance" as a wording in which hyphens, underscores and spaces stand for each other.
std::string tag_wording(const std::string& tag) {
  std::string wording;
  for (const char c : tag) {
    if (c == '-' || c == '_' || c == ' ') {
      wording += "[-_ ]";
    } else {
      wording += c;
    }
  }
  return wording;
}

/// Sentence ends of one byte need white space behind them ("0.25" is no end), the Chinese ones do not.
std::size_t end_length(std::string_view text, std::size_t at) {
  constexpr std::string_view kEnds = ".!?;";
  if (kEnds.find(text[at]) != std::string_view::npos) {
    const bool last = at + 1 == text.size();
    return last || std::isspace(static_cast<unsigned char>(text[at + 1])) ? 1 : 0;
  }
  for (const std::string_view end : {"。", "！", "？", "；"})
    if (text.substr(at, end.size()) == end) return end.size();
  return text.substr(at, 2) == "\n\n" ? 2 : 0;
}

}  // namespace

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> sentences;
  std::string sentence;
  const auto close = [&] {
    if (const std::string_view content = trimmed(sentence); !content.empty()) sentences.emplace_back(content);
    sentence.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t length = end_length(text, at); length > 0) {
      close();
      at += length;
      continue;
    }
    // A line break inside a sentence is a space to the wordings.
    sentence += std::isspace(static_cast<unsigned char>(text[at])) ? ' ' : text[at];
    ++at;
    if (sentence.size() >= kLongestSentence) close();
  }
  close();
  return sentences;
}

std::vector<LinkMark> mark_rubric(const Task& task, const Question& question, std::string_view answer) {
  const auto sentences = sentences_of(answer.substr(0, kLongestAnswer));
  std::vector<LinkMark> marks;
  for (const RubricLink& link : question.links) {
    std::vector<std::string> causes = link.cause;
    if (question.id == kExplanationId && link.name == kBoundaryLink) {
      for (const Case& test : task.cases)
        for (const std::string& name : {test.tag, test.name})
          if (test.kind == CaseKind::kBoundary && !name.empty()) causes.push_back(tag_wording(name));
    }
    const auto cause = found_in(sentences, causes);
    const auto effect = found_in(sentences, link.effect);
    marks.push_back({link.name, link.points, meet(cause, effect), any(cause), any(effect)});
  }
  return marks;
}

bool explains_failure(std::string_view answer, const std::vector<std::string>& failed) {
  static const std::vector<std::string> kReasons{"because|since|therefore|thus|hence|due to|so that|\\bso\\b|as a result|why",
                                                 "因为|由于|所以|因此|导致|使得"};
  const auto sentences = sentences_of(answer.substr(0, kLongestAnswer));
  std::vector<std::string> names;
  for (const std::string& name : failed) names.push_back(tag_wording(name));
  return meet(found_in(sentences, names), found_in(sentences, kReasons));
}

std::string wording_fault(const std::string& wording) {
  if (wording.size() > kLongestWording) return "it is longer than 1000 bytes";
  try {
    compile(wording);
  } catch (const std::regex_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace warpbook::task
