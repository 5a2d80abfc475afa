#pragma once
// What may stand in a blank.
#include <optional>
#include <string>
#include <string_view>

#include "judge/base/error.hpp"
#include "judge/task/blanks.hpp"

namespace warpbook::task {

/// What a learner put into a blank: a byte range of their normalised file.
struct BlankFill {
  std::string name;
  BlankScope scope = BlankScope::kDevice;
  bool is_region = false, in_device_function = false;
  int lines = 1;  ///< about how many the manifest expects
  std::size_t begin = 0, end = 0;
};

/// A rule that a fill breaks, with its place.
struct BrokenRule {
  Error error;
  bool is_empty = false;  ///< the blank is simply not filled yet
};

/// The first rule that the fill breaks in `text`, or nothing.
std::optional<BrokenRule> broken_rule(std::string_view text, const std::string& file, const BlankFill& fill);

/// Whether tokens could be an expression blank at all: brackets balanced, `;` only inside braces, no directive.
bool is_expression(const Token* begin, const Token* end);

/// True when the fill cannot change the host half of a compile: it stands in a device function and names nothing that the host sees.
bool stays_on_device(std::string_view text, const BlankFill& fill);

}  // namespace warpbook::task
