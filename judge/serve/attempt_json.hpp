#pragma once
// An attempt in a list: when, how it ended, and the figures by which attempts are compared.
#include <nlohmann/json.hpp>

#include "judge/store/store.hpp"

namespace warpbook::serve {

/// Begun before this server was, and never ended: the server that judged it ended first, or crashed. What is judged now, and what its
/// learner cancelled under this server, is not meant.
bool was_interrupted(const store::Attempt& attempt, std::int64_t server_began_ms);

/// {id, started_ms, finished_ms, verdict, points, passed, medal, interrupted, case, passes, counts}
nlohmann::json attempt_json(const store::Attempt& attempt, std::int64_t server_began_ms);

}  // namespace warpbook::serve
