#pragma once
// Two texts side by side as a unified diff; white space does not count.
#include <string>
#include <vector>

namespace warpbook::task {

/// How lines are compared.
enum class LineEquality {
  kIgnoreSpace,  ///< all white space left out
  kTrimmed,      ///< white space at both ends left out
  kExact,
};

/// Unified diff with three lines of context, at most about 200 lines; empty when no line differs.
std::string unified_diff(const std::vector<std::string>& before, const std::vector<std::string>& after, const std::string& before_name,
                         const std::string& after_name, LineEquality equality = LineEquality::kIgnoreSpace);

}  // namespace warpbook::task
