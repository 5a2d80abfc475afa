#include "judge/grade/likeness.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "judge/grade/compare_values.hpp"
#include "judge/task/cuda_lexer.hpp"

namespace warpbook::grade {
namespace {

// Faults of one kind: this much is sure, the rest is the place, by source line, by who met whom, and by how far apart in the kernel.
constexpr double kSameKindOfFault = 0.45, kSamePlace = 0.25, kSameThreads = 0.15, kSameCalls = 0.15;

/// Errors of about the same size: within this factor.
constexpr double kNearSize = 1.5;

bool values_agree(const CaseResult& learner, const CaseResult& known, std::span<const operators::Expected> expected) {
  for (const operators::Expected& e : expected) {
    const Answer* a = learner.answer_of(e.tensor);
    const Answer* b = known.answer_of(e.tensor);
    if (a == nullptr || b == nullptr || a->values.size() != b->values.size() || a->values.size() != e.value.size()) return false;
    const double relative = relative_bound(e);
    for (std::size_t i = 0; i < e.value.size(); ++i) {
      if (e.is_open(i)) continue;
      if (!same_wrong_value(a->values[i], b->values[i], e.value[i], e.bound[i], relative)) return false;
    }
  }
  return true;
}

/// Share of elements of the same class; for cases that ask only for finite values.
double classes_agree(const CaseResult& learner, const CaseResult& known) {
  std::size_t same = 0, all = 0;
  for (const Answer& a : learner.answers) {
    const Answer* b = known.answer_of(a.tensor);
    if (b == nullptr || b->values.size() != a.values.size()) return 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) same += same_class(a.values[i], b->values[i]) ? 1 : 0;
    all += a.values.size();
  }
  return all == 0 ? 0 : static_cast<double>(same) / static_cast<double>(all);
}

/// A message without what differs from run to run: "write of # bytes at # is # bytes past the end of y".
std::string without_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto digit = [&](std::size_t at) { return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; };
    if (!digit(i)) {
      out += text[i++];
      continue;
    }
    while (i < text.size() && (std::isxdigit(static_cast<unsigned char>(text[i])) != 0 || text[i] == 'x' || text[i] == '.')) ++i;
    out += '#';
  }
  return out;
}

/// A message without the signature of a kernel, which is the submission's own: "...; softmax(float*, int): 65664 bytes" -> "...; 65664
/// bytes".
std::string without_kernel(std::string text) {
  const std::size_t end = text.find("): ");
  if (end == std::string::npos) return text;
  const std::size_t before = text.rfind("; ", end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 2;
  return text.erase(begin, end + 3 - begin);
}

/// What a message says, whichever kernel and numbers it speaks of.
std::string message_form(const CaseResult& r) { return without_numbers(without_kernel(r.message)); }

/// "st.global" of "st.global.v4.f32": what is done to which memory, whatever the width.
std::string family(const std::string& instruction) {
  const std::size_t first = instruction.find('.');
  return first == std::string::npos ? instruction : instruction.substr(0, instruction.find('.', first + 1));
}

bool is_read(const std::string& what) { return what.find("read") != std::string::npos; }

/// Where an access went wrong: "past x", "before y"; how far depends on the block size. Names of shared and local variables are the
/// submission's own and say nothing.
std::string direction(const device::Fault& f) {
  if (f.space != "global") return f.space;
  for (const std::string_view side : {"past the end of ", "before "}) {
    const std::size_t at = f.message.find(side);
    if (at == std::string::npos) continue;
    const std::size_t name = at + side.size();
    return f.message.substr(at, 4) + f.message.substr(name, f.message.find(" (", name) - name);
  }
  return without_numbers(f.message);
}

bool same_kind_of_fault(const device::Fault& a, const device::Fault& b) {
  if (a.kind != b.kind || a.space != b.space || a.related.size() != b.related.size()) return false;
  using Kind = device::FaultKind;
  if (a.kind == Kind::kRace) {
    // Which access came first differs with the order of warps; that a reader met a writer does not.
    const bool a_reads = family(a.instruction).starts_with("ld"), b_reads = family(b.instruction).starts_with("ld");
    if (a.related.empty()) return a_reads == b_reads;
    return a_reads == b_reads && is_read(a.related.front().what) == is_read(b.related.front().what);
  }
  if (a.kind == Kind::kOutOfBounds || a.kind == Kind::kMisaligned || a.kind == Kind::kNullPointer)
    return family(a.instruction) == family(b.instruction) && direction(a) == direction(b);
  return a.instruction.substr(0, a.instruction.find('.')) == b.instruction.substr(0, b.instruction.find('.'));
}

/// A source line without white space and comment; a renamed variable makes it another one, an added blank line does not.
std::string bare_line(const std::vector<device::Frame>& frames, const SourceLines& source) {
  for (const device::Frame& frame : frames) {
    if (frame.file != source.file || frame.line < 1 || frame.line > static_cast<int>(source.lines.size())) continue;
    std::string line = source.lines[static_cast<std::size_t>(frame.line) - 1];
    if (const std::size_t comment = line.find("//"); comment != std::string::npos) line.resize(comment);
    std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
    return line;
  }
  return {};
}

bool same_place(const device::Fault& a, const SourceLines& a_source, const device::Fault& b, const SourceLines& b_source) {
  const std::string here = bare_line(a.frames, a_source);
  if (here.empty() || here != bare_line(b.frames, b_source)) return false;
  for (std::size_t i = 0; i < a.related.size(); ++i) {
    if (bare_line(a.related[i].frames, a_source) != bare_line(b.related[i].frames, b_source)) return false;
  }
  return true;
}

/// Who a thread is to its block: the first one, another of the first warp, of another warp. That survives another block size.
enum class Part { kThreadZero, kFirstWarp, kOtherWarp };
Part part_of(const device::Dim3& thread) {
  constexpr std::uint32_t kWarp = 32;
  if (thread.y != 0 || thread.z != 0) return Part::kOtherWarp;
  return thread.x == 0 ? Part::kThreadZero : thread.x < kWarp ? Part::kFirstWarp : Part::kOtherWarp;
}

bool same_threads(const device::Fault& a, const device::Fault& b) {
  if (part_of(a.thread) != part_of(b.thread)) return false;
  for (std::size_t i = 0; i < a.related.size(); ++i) {
    if (part_of(a.related[i].thread) != part_of(b.related[i].thread)) return false;
  }
  return true;
}

/// Whether both accesses belong to one line of the kernel (one call of a reduction) or to two: a barrier that closes a function is
/// missed by the next call, one inside it by the same call.
bool same_calls(const device::Fault& a, const device::Fault& b) {
  const auto crosses = [](const device::Fault& f) {
    for (const device::Related& r : f.related)
      if (!f.frames.empty() && !r.frames.empty() && f.frames.back().line != r.frames.back().line) return true;
    return false;
  };
  return crosses(a) == crosses(b);
}

double faults_alike(const device::Fault& a, const SourceLines& a_source, const device::Fault& b, const SourceLines& b_source) {
  if (!same_kind_of_fault(a, b)) return 0;
  return kSameKindOfFault + (same_place(a, a_source, b, b_source) ? kSamePlace : 0) + (same_threads(a, b) ? kSameThreads : 0) +
         (same_calls(a, b) ? kSameCalls : 0);
}

/// Where one element went.
enum class Course { kNone, kTooHigh, kTooLow, kNan, kPlusInfinity, kMinusInfinity };
Course course_of(double got, double value, double bound) {
  if (is_right(got, value, bound)) return Course::kNone;
  if (std::isnan(got)) return Course::kNan;
  if (std::isinf(got)) return got > 0 ? Course::kPlusInfinity : Course::kMinusInfinity;
  return got > value ? Course::kTooHigh : Course::kTooLow;
}

bool has_wrong_finite_value(const CaseResult& failed, std::span<const operators::Expected> expected) {
  for (const operators::Expected& e : expected) {
    const Answer* a = failed.answer_of(e.tensor);
    if (a == nullptr || a->values.size() != e.value.size()) continue;
    for (std::size_t i = 0; i < e.value.size(); ++i) {
      const bool comparable = std::isfinite(a->values[i]) && std::isfinite(e.value[i]) && !e.is_open(i);
      if (comparable && std::fabs(a->values[i] - e.value[i]) > 2 * e.bound[i]) return true;
    }
  }
  return false;
}

}  // namespace

double evidence(const CaseResult& failed, std::span<const operators::Expected> expected, task::CheckKind check) {
  constexpr double kFault = 0.8, kOnlyClasses = 0.4, kFiniteAsked = 0.2;
  if (failed.fault) return kFault;
  if (check == task::CheckKind::kFinite) return kFiniteAsked;
  return has_wrong_finite_value(failed, expected) ? 1 : kOnlyClasses;
}

double likeness(const CaseResult& learner, const SourceLines& learner_source, const CaseResult& known, const SourceLines& known_source,
                std::span<const operators::Expected> expected, task::CheckKind check) {
  if (learner.verdict != known.verdict) return 0;
  if (learner.fault && known.fault) return faults_alike(*learner.fault, learner_source, *known.fault, known_source);
  if (learner.fault || known.fault) return 0;
  const bool values = !learner.answers.empty() && !known.answers.empty();
  if (!values) return learner.reason == known.reason && message_form(learner) == message_form(known) ? 1 : 0;
  if (check == task::CheckKind::kFinite) return learner.reason == known.reason ? classes_agree(learner, known) : 0;
  return values_agree(learner, known, expected) ? 1 : 0;
}

double same_error(const CaseResult& learner, const CaseResult& known, std::span<const operators::Expected> expected) {
  if (learner.verdict != known.verdict || learner.fault || known.fault) return 0;
  std::size_t same = 0, near = 0, wrong = 0;
  for (const operators::Expected& e : expected) {
    const Answer* a = learner.answer_of(e.tensor);
    const Answer* b = known.answer_of(e.tensor);
    if (a == nullptr || b == nullptr || a->values.size() != e.value.size() || b->values.size() != e.value.size()) return 0;
    for (std::size_t i = 0; i < e.value.size(); ++i) {
      if (e.is_open(i)) continue;
      const Course mine = course_of(a->values[i], e.value[i], e.bound[i]), theirs = course_of(b->values[i], e.value[i], e.bound[i]);
      wrong += mine != Course::kNone || theirs != Course::kNone ? 1 : 0;
      if (mine == Course::kNone || mine != theirs) continue;
      ++same;
      const double a_error = std::fabs(a->values[i] - e.value[i]), b_error = std::fabs(b->values[i] - e.value[i]);
      near += !std::isfinite(a_error) || (a_error <= kNearSize * b_error && b_error <= kNearSize * a_error) ? 1 : 0;
    }
  }
  return wrong == 0 ? 0 : static_cast<double>(same + near) / (2.0 * static_cast<double>(wrong));
}

std::vector<std::string> runtime_calls(const std::string& source) {
  const std::vector<task::Token> tokens = task::lex(source).list;
  std::set<std::string> names;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const task::Token& word = tokens[i];
    if (word.kind == task::TokenKind::kWord && word.text.starts_with("cuda") && tokens[i + 1].is("(")) names.insert(word.text);
  }
  return {names.begin(), names.end()};
}

}  // namespace warpbook::grade
