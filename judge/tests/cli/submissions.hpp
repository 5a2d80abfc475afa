#pragma once
// Submissions derived from the reference solutions when the test runs, so that they follow when a lesson is edited.
#include <string>

namespace warpbook::cli {

/// What fills the blank of lesson 05 rightly.
extern const std::string kRightVariance;

/// Lesson 05 with `lines` in its blank.
std::string layernorm_with(const std::string& lines);

/// The launch of the kernel in row-softmax, as a line of its launch function.
extern const std::string kLaunchSoftmax;

/// Problem row-softmax, solved in three walks, with `lines` as the body of its launch function. Host headers are included.
std::string softmax_with(const std::string& lines);

/// `text` with the one place that reads `from` changed.
std::string replaced(std::string text, const std::string& from, const std::string& to);

/// The number of the first line that contains `part`, from 1.
int line_with(const std::string& text, const std::string& part);

}  // namespace warpbook::cli
