#pragma once
#include <string>

#include "judge/vgpu/registers.hpp"

namespace warpbook::vgpu {

/// "lane 7", "lanes 0-15, 17"; "no lane" for none.
std::string lanes_text(LaneMask lanes);

}  // namespace warpbook::vgpu
