#pragma once
// Names that are close to a wrong one, for messages that say "did you mean".
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::task {

/// Fewest insertions, deletions, substitutions and swaps of neighbouring bytes that turn one word into the other.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or empty when none is near enough to be a slip of the hand.
std::string closest_name(std::string_view word, const std::vector<std::string>& candidates);

/// "expected one of a, b, c; did you mean 'b'?" (the question only when a candidate is near).
std::string expected_one_of(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace warpbook::task
