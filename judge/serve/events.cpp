#include "judge/serve/events.hpp"

#include <fmt/format.h>

#include "judge/serve/http.hpp"

namespace warpbook::serve {

std::string event_text(const std::string& name, const nlohmann::json& data, const std::string& id) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, name, dumped(data));
}

}  // namespace warpbook::serve
