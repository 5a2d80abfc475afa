#pragma once
// What a test ran and what was said, shown when the test fails. (Catch's own messages end with the next assertion.)
#include <string>

namespace warpbook::cli {

/// Adds a command and its words to the transcript of the running test.
void remember(const std::string& text);

}  // namespace warpbook::cli
