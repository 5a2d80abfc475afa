#pragma once
// Where the blanks of a .cu file stand.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/task/cuda_lexer.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// The lines between `// >>> blank NAME` and `// <<< blank NAME`: a byte range of whole lines.
struct BlankRegion {
  std::string name;
  std::size_t begin = 0, end = 0;
};

/// A file cut at its markers. outside[i] ends with the opening marker of regions[i]; outside[i + 1] begins with its closing one.
struct CutFile {
  std::vector<std::string_view> outside;  ///< one more than regions
  std::vector<BlankRegion> regions;
};

/// Cuts at marker lines. A marker without partner, twice, nested or crossed is an error with its place.
Result<CutFile> cut_at_markers(std::string_view text, const std::string& file);

/// A blank of an exercise, in the order of the file.
struct BlankPlace {
  Blank blank;                      ///< as the manifest has it
  bool is_region = false;           ///< else an underscore expression
  std::size_t offset = 0;           ///< of its first byte
  bool in_device_function = false;  ///< inside the body of a __global__ or __device__ function that is not __host__ too
};

/// An exercise as the judge ships it, taken apart once.
struct Exercise {
  std::string file;
  std::string text;                         ///< normalised
  CutFile cut;                              ///< views into `text`
  std::vector<std::vector<Token>> outside;  ///< tokens of each outside part, underscore blanks among them
  std::vector<BlankPlace> blanks;

  Exercise() = default;
  Exercise(const Exercise&) = delete;  // the views would point into the other's text
  Exercise& operator=(const Exercise&) = delete;
};

/// Takes an exercise apart into `into`; an error when its blanks are not those of the manifest (an author's mistake).
Status read_exercise(std::string_view text, const std::string& file, const std::vector<Blank>& blanks, Exercise& into);

/// The text without BOM, every line end `\n`, the last line ended too. Line numbers stay.
std::string normalised(std::string_view text);

}  // namespace warpbook::task
