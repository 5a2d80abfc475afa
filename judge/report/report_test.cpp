#include <sstream>

#include "judge/grade/grade.hpp"
#include "judge/report/junit.hpp"
#include "judge/report/markdown_terminal.hpp"
#include "judge/report/math_text.hpp"
#include "judge/report/terminal.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::report;

TEST_CASE("formulas become one line of text") {
  CHECK(math_text("\\frac{x_j - \\mu}{\\sqrt{\\sigma^2 + \\varepsilon}}\\,\\gamma_j") == "(x_j - μ)/(√(σ^2 + ε)) γ_j");
  CHECK(math_text("2^{-24}") == "2^-24");
  CHECK(math_text("\\gamma = 1, 0.7 \\cdot 2, \\left (a\\right )") == "γ = 1, 0.7 · 2, (a)");
  CHECK(math_text("e^{m - n}") == "e^(m - n)");
  CHECK(math_text("e^{1-3} = e^{-2}") == "e^(1-3) = e^-2");
  CHECK(math_text("16{,}777") == "16,777");
  CHECK(math_text("\\unknown{a}") == "\\unknowna");
  CHECK(math_text("\\").size() == 1);
  CHECK(math_text(std::string(100000, '{')).size() <= 100000);
}

TEST_CASE("Markdown is wrapped, tables are aligned, answers stay folded") {
  MarkdownOptions options;
  options.style.width = 40;
  const std::string text = render_markdown(
      "# Title\n\nSome words that are long enough to be wrapped at forty columns.\n\n- one\n- two\n\n| a | bb |\n|---|---|\n| ccc | d |\n\n"
      "```cpp\nint x;\n```\n\n<details><summary>Why?</summary>\n\nBecause.\n\n</details>\n",
      options);
  CHECK(text.find("Title\n") == 0);
  CHECK(text.find("- one\n- two\n") != std::string::npos);
  CHECK(text.find("  a    bb\n  ccc  d\n") != std::string::npos);
  CHECK(text.find("    int x;\n") != std::string::npos);
  CHECK(text.find("Why?") != std::string::npos);
  CHECK(text.find("Because.") == std::string::npos);
  options.unfold = true;
  CHECK(render_markdown("<details><summary>Why?</summary>\n\nBecause.\n\n</details>\n", options).find("Because.") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 44);
}

namespace {

grade::SubmissionResult failing() {
  grade::SubmissionResult r;
  r.task_id = "05-layernorm";
  r.file = "work/a.cu";
  grade::CaseResult c;
  c.name = "tail";
  c.about = "one column less";
  c.verdict = grade::Verdict::kRuntimeError;
  c.reason = grade::Reason::kOutOfBounds;
  c.output = "bad \x01 byte";
  device::Fault fault;
  fault.message = "write of 4 bytes is past the end of y";
  fault.kernel = "kernel(float*)";
  fault.frames = {{"/usr/include/x.h", "inner", 9, 1}, {"work/a.cu", "outer", 2, 3}};
  c.fault = fault;
  r.cases = {c};
  r.verdict = c.verdict;
  r.reason = c.reason;
  return r;
}

}  // namespace

TEST_CASE("a fault is shown at its line in the learner's file, with a caret, and the header it happened in") {
  TerminalOptions options;
  options.source = [](const std::string& file, int line) {
    return file == "work/a.cu" && line == 2 ? std::string("  y[i] = 0;") : std::string();
  };
  const std::string text = render_terminal(failing(), options);
  CHECK(text.find("work/a.cu:2:3: error: write of 4 bytes is past the end of y") != std::string::npos);
  CHECK(text.find("    2 |   y[i] = 0;") != std::string::npos);
  CHECK(text.find("inside x.h:9") != std::string::npos);
  CHECK(text.find("\x1b[") == std::string::npos);
}

TEST_CASE("JUnit counts failures, and a submission that never ran is one") {
  const std::string xml = render_junit(failing());
  CHECK(xml.find("failures=\"1\"") != std::string::npos);
  CHECK(xml.find('\x01') == std::string::npos);
  grade::SubmissionResult never;
  never.task_id = "x";
  never.verdict = grade::Verdict::kCompileError;
  CHECK(render_junit(never).find("tests=\"1\" failures=\"1\"") != std::string::npos);
}
