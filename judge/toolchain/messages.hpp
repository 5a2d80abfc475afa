#pragma once
// Inside of judge/toolchain: what the tools say, put into the learner's file and lines.
//
// Four tools, four ways to name a place:
//   front end      a.cu(5): error: identifier "x" is undefined   + the preprocessed line + a caret
//   gcc            a.cu:5:3: error: ...
//   ptxas          ptxas unit.ptx, line 45; error   : ...        or   ptxas error   : Entry function '_Z1kPf' ...
//   linkers        ...: undefined reference to `f(int)'          or   error: undefined symbol: f(int)
#include <string>
#include <string_view>
#include <vector>

#include "judge/toolchain/compile.hpp"
#include "judge/toolchain/steps.hpp"

namespace warpbook::toolchain {

/// The name under which the glue behind the learner's text is compiled.
inline constexpr const char* kGlueName = "warpbook glue";

/// What is needed to find places again.
struct Text {
  std::string shown_name;
  std::vector<std::string> lines;  ///< of the learner's file
  std::string ptx;                 ///< empty when there is none yet
  std::string scratch;             ///< folder that must not be shown
};

/// Messages of one tool, in its order. What it does not understand it leaves out.
std::vector<Diagnostic> read_front_end(std::string_view said, const Text& text);
std::vector<Diagnostic> read_gcc(std::string_view said, const Text& text, bool columns_are_real);
std::vector<Diagnostic> read_ptxas(std::string_view said, const Text& text);
std::vector<Diagnostic> read_linker(std::string_view said, const Text& text);

/// All that was said, each message once; glue lines moved to the end of the learner's file, source lines filled in.
std::vector<Diagnostic> read_messages(const std::vector<Said>& said, const Text& text);

/// `said` without the scratch folder's path and with ASCII quotes: for summaries of what nobody understood.
std::string presentable(std::string_view said, const Text& text);

/// Column (from 1) in the learner's `line` of what a caret at `column` of the front end's own `printed` text points at; 0 when it is not
/// to be found. The printed text has macros expanded, comments dropped and tabs turned into blanks.
int column_in_source(std::string_view printed, int column, std::string_view line);

/// Line (from 1) on which `name` is first used in the learner's file; 0 when it is not.
int line_of_name(std::string_view name, const Text& text);

}  // namespace warpbook::toolchain
