#include "judge/task/task.hpp"

namespace warpbook::task {

const std::string& Text::in(const std::string& language) const {
  static const std::string nothing;
  if (const auto found = by_language.find(language); found != by_language.end()) return found->second;
  if (const auto english = by_language.find("en"); english != by_language.end()) return english->second;
  return nothing;
}

}  // namespace warpbook::task
