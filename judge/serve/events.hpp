#pragma once
// Server-sent events as text.
#include <nlohmann/json.hpp>
#include <string>

#include "judge/serve/http.hpp"

namespace warpbook::serve {

/// "id: ID\nevent: NAME\ndata: JSON\n\n"
std::string event_text(const std::string& name, const nlohmann::json& data, const std::string& id);

/// How many events the reader of a stream has seen: they are numbered from 1, and a stream that was cut goes on behind the number that its
/// reader names.
std::size_t seen_by(const Request& request);

}  // namespace warpbook::serve
