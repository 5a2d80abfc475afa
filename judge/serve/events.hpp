#pragma once
// Server-sent events as text.
#include <nlohmann/json.hpp>
#include <string>

namespace warpbook::serve {

/// "id: ID\nevent: NAME\ndata: JSON\n\n"
std::string event_text(const std::string& name, const nlohmann::json& data, const std::string& id);

}  // namespace warpbook::serve
