#include "judge/report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "judge/base/error.hpp"
#include "judge/base/files.hpp"
#include "judge/device/fault_text.hpp"
#include "judge/device/own_frame.hpp"
#include "judge/report/passes.hpp"

namespace warpbook::report {
namespace {

using grade::CaseResult;
using grade::SubmissionResult;
using grade::Verdict;

constexpr int kNameWidth = 24, kShapeWidth = 16;
constexpr int kFaultIndent = 6;
/// Of what a submission printed; the JSON result has all that was kept.
constexpr std::size_t kShownOutputLines = 12;

std::string indent_lines(std::string_view text, int indent) {
  std::string out;
  for (const std::string& line : split_lines(text)) out += std::string(static_cast<std::size_t>(indent), ' ') + line + "\n";
  return out;
}

std::string printed(const std::string& output) {
  std::vector<std::string> lines = split_lines(output);
  const std::size_t more = lines.size() - std::min(lines.size(), kShownOutputLines);
  lines.resize(lines.size() - more);
  std::string out = "    it printed:\n";
  for (const std::string& line : lines) out += indent_lines(line.empty() ? " " : line, kFaultIndent);
  return more == 0 ? out : out + fmt::format("    and {} more lines\n", more);
}

std::string points_text(double points) {
  return std::abs(points - std::round(points)) < 1e-9 ? fmt::format("{:.0f}", points) : fmt::format("{:.1f}", points);
}

std::string error_share(const CaseResult& c) {
  if (!c.worst || c.verdict != Verdict::kAccepted || !(c.worst->bound > 0)) return {};
  return fmt::format("error {:.2f} of bound", c.worst->error / c.worst->bound);
}

std::string case_line(const CaseResult& c, const Style& style) {
  const bool good = c.verdict == Verdict::kAccepted;
  const std::string mark = good ? style.paint(Ink::kGreen, "ok  ") : style.paint(Ink::kRed, "FAIL");
  const std::string shape = c.rows > 0 ? fmt::format("{} x {}", c.rows, c.cols) : "";  // a hidden case has none
  const std::string what =
      good ? style.paint(Ink::kDim, error_share(c)) : fmt::format("{} {}", paint_verdict(c.verdict, style), grade::code_of(c.reason));
  return fmt::format("    {} {}{}{}\n", mark, pad(c.name, kNameWidth), pad(shape, kShapeWidth), what);
}

std::string case_list(const SubmissionResult& r, task::CaseKind kind, const Style& style) {
  std::string lines;
  for (const CaseResult& c : r.cases)
    if (c.kind == kind) lines += case_line(c, style);
  if (lines.empty()) return lines;
  return fmt::format("  {}\n{}", kind == task::CaseKind::kNormal ? "normal cases" : "boundary cases", lines);
}

std::string passes_line(const SubmissionResult& r, task::CaseKind kind, const Style& style) {
  const std::string sentence = passes_sentence(r, kind);
  return sentence.empty() ? sentence : wrap(sentence, style.width, 4) + "\n";
}

std::string failure(const CaseResult& c, const SubmissionResult& r, const TerminalOptions& options) {
  const Style& style = options.style;
  std::string out = fmt::format("\n  {} {}{}: {}\n", style.paint(Ink::kRed, "FAIL"), style.paint(Ink::kBold, c.name),
                                c.rows > 0 ? fmt::format(", {} x {}", c.rows, c.cols) : "", c.about);
  out += fmt::format("    {} {}: {}\n", paint_verdict(c.verdict, style), grade::code_of(c.reason), grade::sentence_of(c.reason));
  if (c.fault) {
    out += render_fault(*c.fault, r.file, options, kFaultIndent);
    for (const std::string& note : c.notes) out += wrap(note, style.width, kFaultIndent) + "\n";
    return out;
  }
  if (!c.message.empty()) out += wrap(c.message, style.width, kFaultIndent) + "\n";
  for (const std::string& note : c.notes) out += wrap(note, style.width, kFaultIndent) + "\n";
  if (!c.output.empty()) out += printed(c.output);
  return out;
}

/// What two failures have in common when they tell the same thing: the reason, and the line where there is one.
std::string kind_of_failure(const CaseResult& c) {
  const bool placed = c.fault && !c.fault->frames.empty();
  return fmt::format("{} {} {}", grade::code_of(c.verdict), grade::code_of(c.reason), placed ? c.fault->frames.front().line : 0);
}

/// The first failure of each kind in full; of the others only the names.
std::string failures(const SubmissionResult& r, const TerminalOptions& options) {
  std::string out;
  std::vector<std::string> shown;
  for (const CaseResult& c : r.cases) {
    const std::string kind = kind_of_failure(c);
    if (c.verdict == Verdict::kAccepted || std::find(shown.begin(), shown.end(), kind) != shown.end()) continue;
    shown.push_back(kind);
    out += failure(c, r, options);
    std::string others;
    for (const CaseResult& other : r.cases)
      if (&other != &c && other.verdict != Verdict::kAccepted && kind_of_failure(other) == kind)
        others += (others.empty() ? "" : ", ") + other.name;
    if (!others.empty())
      out += wrap(fmt::format("the same in {} (judge run {} --case NAME shows one)", others, r.task_id), options.style.width, 4) + "\n";
  }
  return out;
}

/// The smallest input that fails so, as a line to paste.
std::string counter_example(const SubmissionResult& r, const TerminalOptions& options) {
  if (!r.counter_example) return {};
  const grade::CounterExample& x = *r.counter_example;
  const Style& style = options.style;
  std::string out =
      fmt::format("\n  {}, {} x {}, fails as case {} does\n", style.paint(Ink::kBold, "a small input"), x.rows, x.cols, x.of_case);
  out += fmt::format("    judge run {} --input '{}'\n", r.task_id, x.input);
  if (!x.message.empty()) out += wrap(x.message, style.width, kFaultIndent) + "\n";
  return out;
}

/// What the failure looks like: a question first; the name of the mistake to those who have asked for hints.
std::string diagnosis(const SubmissionResult& r, const TerminalOptions& options) {
  if (!r.diagnosis) return {};
  const grade::Diagnosis& d = *r.diagnosis;
  const Style& style = options.style;
  std::string out = fmt::format("\n  {}\n", style.paint(Ink::kBold, "a question"));
  out += wrap(d.question.empty() ? d.mistake : d.question, style.width, 4) + "\n";
  if (options.tell_mistake) out += wrap(fmt::format("this looks like {}: {}", d.name, d.mistake), style.width, 4) + "\n";
  return out;
}

std::string answers_block(const SubmissionResult& r, const Style& style) {
  if (r.answers.empty()) return {};
  std::string out = "\n  questions\n";
  for (const grade::AnswerResult& a : r.answers) {
    const std::string state = !a.answered ? "not answered" : a.feedback;
    out += fmt::format("    {} {} of {}{}  {}\n", pad(a.id, kNameWidth), points_text(a.points), points_text(a.of),
                       a.provisional ? " (provisional)" : "", style.paint(a.points >= a.of ? Ink::kGreen : Ink::kDim, state));
    if (!a.misconception.empty()) out += wrap(a.misconception, style.width, kFaultIndent) + "\n";
  }
  return out;
}

std::string score_line(const grade::Score& s) {
  std::string parts;
  const auto part = [&](const char* name, double points, double of) {
    if (of > 0) parts += fmt::format("{}{} {} of {}", parts.empty() ? "" : ", ", name, points_text(points), points_text(of));
  };
  part("normal", s.normal, s.normal_of);
  part("boundary", s.boundary, s.boundary_of);
  part("efficiency", s.efficiency, s.efficiency_of);
  part("explanation", s.explanation, s.explanation_of);
  part("questions", s.questions, s.questions_of);
  return fmt::format("points {} of {}  ({})", points_text(s.total()), points_text(s.of()), parts);
}

std::string closing(const SubmissionResult& r, const Style& style) {
  std::string out = fmt::format("\n  {}\n", style.paint(Ink::kBold, score_line(r.score)));
  // A measured share says more than the number of passes; on the virtual GPU there is none.
  const bool wins = r.medal != grade::Medal::kNone && r.medal != grade::Medal::kLost;
  if (wins && r.medal_reason.empty()) out += "  medal: as few passes over memory as promised\n";
  if (wins && !r.medal_reason.empty()) out += fmt::format("  medal: {}, {}\n", grade::name_of(r.medal), r.medal_reason);
  if (r.medal == grade::Medal::kNone && !r.medal_reason.empty()) out += fmt::format("  no medal: {}\n", r.medal_reason);
  if (r.medal == grade::Medal::kLost) out += fmt::format("  medal lost: {}\n", r.medal_reason);
  const auto accepted = std::count_if(r.cases.begin(), r.cases.end(), [](const CaseResult& c) { return c.verdict == Verdict::kAccepted; });
  const std::string count = r.cases.empty() ? "" : fmt::format(", {} of {} cases", accepted, r.cases.size());
  if (!r.accepted) return out + fmt::format("  {} {}{}\n", paint_verdict(r.verdict, style), grade::sentence_of(r.verdict), count);
  std::string pass;
  if (r.passed) pass = " - " + style.paint(Ink::kGreen, "passed");
  if (!r.passed && !r.answers.empty())
    pass = fmt::format(" - the code is accepted; {} points make a pass: `judge answer {}`", grade::kPassPoints, r.task_id);
  return out + fmt::format("  {} accepted{}{}\n", paint_verdict(Verdict::kAccepted, style), count, pass);
}

/// The innermost frame in the learner's file, or else outside of the toolkit's headers.
const device::Frame* own_frame(const std::vector<device::Frame>& frames, const std::string& learner_file) {
  const auto own = std::find_if(frames.begin(), frames.end(), [&](const device::Frame& f) { return f.file == learner_file; });
  if (own != frames.end()) return &*own;
  return device::own_frame(frames);
}

std::string place_text(const device::Frame& frame, std::string what, const TerminalOptions& options,
                       device::Severity severity = device::Severity::kError) {
  Error error{std::move(what), Where{frame.file, frame.line, frame.column}};
  if (options.source) error.source_line = options.source(frame.file, frame.line);
  std::string text = error.text();
  constexpr std::string_view kError = ": error: ";
  const auto at = text.find(kError);
  if (severity != device::Severity::kError && at != std::string::npos)
    text.replace(at, kError.size(), severity == device::Severity::kWarning ? ": warning: " : ": note: ");
  return text;
}

/// Warnings and information of the checkers, each once, and what else was seen.
std::string remarks(const SubmissionResult& r, const TerminalOptions& options) {
  std::string out;
  std::set<std::string> said;
  for (const CaseResult& c : r.cases) {
    for (const device::Fault& f : c.remarks) {
      const device::Frame* own = own_frame(f.frames, r.file);
      const std::string key = fmt::format("{} {}", device::name_of(f.kind), own == nullptr ? 0 : own->line);
      if (said.insert(key).second) out += fmt::format("\n  in case {}\n", c.name) + render_fault(f, r.file, options, kFaultIndent);
    }
    for (const std::string& note : c.notes) {
      if (c.verdict == grade::Verdict::kAccepted && said.insert("note").second)
        out += "\n" + wrap(fmt::format("in case {} {}", c.name, note), options.style.width, 2) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string paint_verdict(Verdict verdict, const Style& style) {
  const Ink ink = verdict == Verdict::kAccepted ? Ink::kGreen : verdict == Verdict::kJudgeError ? Ink::kYellow : Ink::kRed;
  return style.paint(ink, grade::code_of(verdict));
}

std::string render_fault(const device::Fault& fault, const std::string& learner_file, const TerminalOptions& options, int indent) {
  std::string out;
  const device::Frame* own = own_frame(fault.frames, learner_file);
  if (own == nullptr) out += indent_lines("error: " + fault.message, indent);
  if (own != nullptr) out += indent_lines(place_text(*own, fault.message, options, fault.severity), indent);
  const bool inlined = own != nullptr && own != &fault.frames.front();
  if (inlined) {
    const device::Frame& inner = fault.frames.front();
    out += indent_lines(
        fmt::format("inside {}:{}, called from this line", std::filesystem::path(inner.file).filename().string(), inner.line), indent);
  }
  if (!fault.kernel.empty()) {
    const std::string others = fault.lanes_affected > 1 ? fmt::format(" and {} more of its warp", fault.lanes_affected - 1) : "";
    out += indent_lines(fmt::format("in {}, block ({},{},{}), thread ({},{},{}){}", fault.kernel, fault.block.x, fault.block.y,
                                    fault.block.z, fault.thread.x, fault.thread.y, fault.thread.z, others),
                        indent);
  }
  for (const device::Related& related : fault.related) {
    const device::Frame* there = own_frame(related.frames, learner_file);
    out += indent_lines(fmt::format("{}, block ({},{},{}), thread ({},{},{})", related.what, related.block.x, related.block.y,
                                    related.block.z, related.thread.x, related.thread.y, related.thread.z),
                        indent);
    if (there != nullptr) out += indent_lines(place_text(*there, "here", options, device::Severity::kInfo), indent + 2);
  }
  for (const device::Waiter& w : fault.waiters) {
    const device::Frame* there = own_frame(w.frames, learner_file);
    const std::string where = there == nullptr ? "" : fmt::format(" at {}:{}", there->file, there->line);
    out += indent_lines(fmt::format("{}: {}{}", w.threads, w.what, where), indent + 2);
  }
  return out;
}

std::string render_terminal(const SubmissionResult& r, const TerminalOptions& options) {
  const Style& style = options.style;
  if (options.quiet) return fmt::format("{} {}: {}\n", grade::code_of(r.verdict), r.task_id, score_line(r.score));
  std::string out = fmt::format("{}  {}\n", style.paint(Ink::kBold, r.task_id), r.task_title);
  const std::string cached = r.compile_cached        ? ", compiled before"
                             : r.compile_seconds > 0 ? fmt::format(", compiled in {:.1f} s", r.compile_seconds)
                                                     : "";
  constexpr std::size_t kShownHash = 12;
  const std::string seed = r.provenance.seed_hash.empty() ? std::to_string(r.provenance.seed)
                                                          : fmt::format("of the secret {}", r.provenance.seed_hash.substr(0, kShownHash));
  out +=
      style.paint(Ink::kDim, fmt::format("  {} on {}, {}, seed {}{}", r.file, r.provenance.device, r.provenance.toolchain, seed, cached)) +
      "\n\n";
  for (const grade::Finding& f : r.findings) {
    Error error{f.message, Where{f.file, f.line, f.column}, f.source_line};
    std::string text = error.text();
    if (const auto at = text.find(": error: "); f.severity != "error" && at != std::string::npos)
      text.replace(at, 9, ": " + f.severity + ": ");
    out += indent_lines(text, 2);
  }
  for (const grade::Veto& v : r.vetoes) {
    out += fmt::format("  {} {}: {}\n", paint_verdict(Verdict::kVeto, style), grade::code_of(v.reason), grade::sentence_of(v.reason));
    out += indent_lines(v.evidence, 4);
  }
  if (r.cases.empty() && r.findings.empty() && r.vetoes.empty() && !r.message.empty()) out += wrap(r.message, style.width, 2) + "\n";
  for (const task::CaseKind kind : {task::CaseKind::kNormal, task::CaseKind::kBoundary})
    out += case_list(r, kind, style) + passes_line(r, kind, style);
  out += failures(r, options);
  out += counter_example(r, options);
  out += diagnosis(r, options);
  out += remarks(r, options);
  out += answers_block(r, style);
  return out + closing(r, style);
}

}  // namespace warpbook::report
