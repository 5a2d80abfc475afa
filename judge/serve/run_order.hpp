#pragma once
// What is to be graded, fixed at the moment in which it was asked for: a file that is saved again while its run waits is another run.
#include <string>
#include <vector>

namespace warpbook::serve {

struct RunOrder {
  std::string task;
  std::string text;                ///< of the file
  std::string file;                ///< how messages call it: "work/05-layernorm/exercise.cu"
  std::vector<std::string> cases;  ///< empty: all
  bool meters = false;             ///< count by source line, too
  std::string language = "en";

  /// The same for orders that would show the same.
  std::string key() const;
};

}  // namespace warpbook::serve
