#pragma once
// What the page draws a roofline of: the roofs of the device, and of each attempt the few counts that say where under them it may stand.
#include <nlohmann/json.hpp>

#include "judge/task/task.hpp"

namespace warpbook::serve {

/// Of one case of a result: {warp_instructions, sectors, least_sectors}; null when nothing was counted. `sectors`: asked for, of global and
/// local memory, which device memory moves when no cache ever hits. `least_sectors`: every sector that a launch touches, once; null unless
/// counts per line were asked for.
nlohmann::json counts_json(const nlohmann::json& of_case);

/// {device, like, warp_instructions_per_second, sectors_per_second, case, least_sectors}: the device that runs are made on, and what must
/// move at least in the case that attempts show (judge/task/compulsory.hpp). Null for a task without such a case.
nlohmann::json roofline_json(const task::Task& task);

}  // namespace warpbook::serve
