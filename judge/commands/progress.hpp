#pragma once
// A line that rewrites itself while something long runs. Nothing at all when the output is not a terminal.
#include <string>

#include "judge/report/style.hpp"

namespace warpbook::commands {

class Progress {
 public:
  explicit Progress(const report::Style& style) : style_(style) {}
  ~Progress() { clear(); }
  void show(int done, int total, const std::string& what);
  void clear();

 private:
  report::Style style_;
  bool shown_ = false;
};

}  // namespace warpbook::commands
