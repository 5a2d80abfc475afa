#pragma once
// The parts in which lessons are shown: lessons/parts.json names the first lesson of each.
#include <string>
#include <vector>

#include "judge/learner/workbook.hpp"
#include "judge/task/task.hpp"

namespace warpbook::learner {

struct Part {
  std::string title;                     ///< in the workbook's language
  std::vector<const task::Task*> tasks;  ///< in order
};

/// The parts of lessons that are not empty, then the open problems. Without a readable parts.json all lessons are one part.
std::vector<Part> parts_of(const Workbook& workbook, const std::vector<task::Task>& tasks);

}  // namespace warpbook::learner
