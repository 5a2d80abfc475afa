#include "judge/report/junit.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>

namespace warpbook::report {
namespace {

/// XML 1.0 has no control characters besides tab and line end, not even escaped ones; a kernel's printf can send any.
std::string printable(const std::string& text) {
  std::string out = text;
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; }, '?');
  return out;
}

void add_problem(tinyxml2::XMLPrinter& xml, const char* element, std::string_view type, const std::string& message) {
  xml.OpenElement(element);
  xml.PushAttribute("type", std::string(type).c_str());
  xml.PushAttribute("message", printable(message).c_str());
  xml.CloseElement();
}

void add_case(tinyxml2::XMLPrinter& xml, const grade::SubmissionResult& result, const grade::CaseResult& c) {
  xml.OpenElement("testcase");
  xml.PushAttribute("classname", result.task_id.c_str());
  xml.PushAttribute("name", c.name.c_str());
  xml.PushAttribute("time", c.seconds);
  const std::string type = fmt::format("{} {}", grade::code_of(c.verdict), grade::code_of(c.reason));
  if (c.verdict == grade::Verdict::kJudgeError) add_problem(xml, "error", type, c.message);
  if (c.verdict != grade::Verdict::kAccepted && c.verdict != grade::Verdict::kJudgeError)
    add_problem(xml, "failure", type, c.fault ? c.fault->message : c.message);
  if (!c.output.empty()) {
    xml.OpenElement("system-out");
    xml.PushText(printable(c.output).c_str());
    xml.CloseElement();
  }
  xml.CloseElement();
}

}  // namespace

std::string render_junit(const grade::SubmissionResult& result) {
  // A submission that never ran has no cases; it is shown as one test that failed, or a green file would hide it.
  const bool ran = !result.cases.empty();
  const auto count = [&](auto predicate) { return static_cast<int>(std::count_if(result.cases.begin(), result.cases.end(), predicate)); };
  const bool ours = result.verdict == grade::Verdict::kJudgeError;
  const int errors = ran ? count([](const auto& c) { return c.verdict == grade::Verdict::kJudgeError; }) : ours;
  const int failures =
      ran ? count([](const auto& c) { return c.verdict != grade::Verdict::kAccepted && c.verdict != grade::Verdict::kJudgeError; }) : !ours;
  tinyxml2::XMLPrinter xml;
  xml.PushHeader(false, true);
  xml.OpenElement("testsuites");
  xml.OpenElement("testsuite");
  xml.PushAttribute("name", result.task_id.c_str());
  xml.PushAttribute("tests", ran ? static_cast<int>(result.cases.size()) : 1);
  xml.PushAttribute("failures", failures);
  xml.PushAttribute("errors", errors);
  xml.PushAttribute("time", result.seconds);
  for (const grade::CaseResult& c : result.cases) add_case(xml, result, c);
  if (!ran) {
    xml.OpenElement("testcase");
    xml.PushAttribute("classname", result.task_id.c_str());
    xml.PushAttribute("name", "submission");
    add_problem(xml, ours ? "error" : "failure", fmt::format("{} {}", grade::code_of(result.verdict), grade::code_of(result.reason)),
                result.message);
    xml.CloseElement();
  }
  xml.CloseElement();
  xml.CloseElement();
  return std::string(xml.CStr()) + "\n";
}

}  // namespace warpbook::report
