#pragma once
// Step-through figures: a small kernel of the lesson's own, run once by its author and kept as a recording beside it. A figure shows an
// idea on values that everybody sees the same, before the learner has written anything; so its program is none of the lesson's files, and
// no line of a blank's solution may stand in it (judge/trace/figure_test.cpp looks).
//
// The recording is kept, not made when somebody opens it: it is 10 to 70 kB of JSON, the page shows it without a toolkit and without
// waiting, and everybody sees the same steps. That it is what the program gives today is tested.
//
// LESSON/figures/NAME.cu has one kernel, launched as one block. Its first lines say with what:
//     // threads 64
//     // in x 3 1 4 1      a parameter, const float*, with these values; the same name on the next line goes on
//     // out y 64          a parameter, float*, of 64 elements
// Parameters come in the order of these lines. LESSON/figures/NAME.trace is the recording (README.md, "The data"); the text of the lesson
// shows it by ![what it shows](figures/NAME.trace).
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::trace {

/// How a figure's kernel is launched.
struct FigureLaunch {
  struct Argument {
    std::string name;
    std::vector<float> values;
    bool output = false;
  };
  unsigned threads = 32;
  std::vector<Argument> arguments;
};

/// Reads the first lines of a figure; the error names the line.
Result<FigureLaunch> figure_launch(const std::string& text);

/// Compiles and runs `file` (below `root`) and returns its recording, with the toolkit's version under "toolchain".
Result<nlohmann::json> record_figure(const std::filesystem::path& root, const std::filesystem::path& file,
                                     const toolchain::Toolkit& toolkit, toolchain::CompileOptions options);

/// The recording as its file has it: one key a line, so that a change can be read.
std::string figure_text(const nlohmann::json& recording);

/// The figures of a task's folder: figures/*.cu, by name.
std::vector<std::filesystem::path> figures_in(const std::filesystem::path& folder);

}  // namespace warpbook::trace
