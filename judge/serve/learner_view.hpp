#pragma once
// What a learner may see of a result. The record holds more: the seed of the hidden inputs, and the name of the wrong submission that a
// failure looks like.
#include <nlohmann/json.hpp>

namespace warpbook::serve {

/// `result` as of `judge run --json`. Without `tells_mistake` only the question about the mistake stays, not its name.
nlohmann::json learner_view(nlohmann::json result, bool tells_mistake);

}  // namespace warpbook::serve
