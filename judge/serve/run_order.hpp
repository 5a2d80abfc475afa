#pragma once
// What is to be graded, fixed at the moment in which it was asked for: a file that is saved again while its run waits is another run.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "judge/learner/workbook.hpp"

namespace warpbook::serve {

struct RunOrder {
  std::string task;
  std::string text;                ///< of the file
  std::string file;                ///< how messages call it: "work/05-layernorm/exercise.cu"
  std::vector<std::string> cases;  ///< empty: all
  bool meters = false;             ///< count by source line, too

  std::int64_t owner = 0;        ///< whose run it is: a person of the class; 0: the one learner; negative: a rejudge
  /// In which it runs. Where it has a store of its own the run records there, over a socket; else the program opens the progress file.
  learner::Workbook workbook{};
  std::filesystem::path seed_file{}, overlay{};  ///< of a class; empty: none

  /// The same for orders that would show the same to the same person.
  std::string key() const;
};

}  // namespace warpbook::serve
