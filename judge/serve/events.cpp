#include "judge/serve/events.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpbook::serve {

std::string event_text(const std::string& name, const nlohmann::json& data, const std::string& id) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, name, dumped(data));
}

std::size_t seen_by(const Request& request) {
  const std::string& last = request.header("last-event-id");
  std::size_t seen = 0;
  const auto [end, failed] = std::from_chars(last.data(), last.data() + last.size(), seen);
  return failed == std::errc{} && end == last.data() + last.size() ? seen : 0;
}

}  // namespace warpbook::serve
