#pragma once
// Inside of judge/toolchain: what of cudafe++'s output the host compiler's result depends on.
#include <string>
#include <string_view>

namespace warpbook::toolchain {

/// `text` (written by cudafe++ or cicc) without line markers and without what stands between `#if 0` and its `#endif`: two texts that are
/// equal then compile to the same object.
std::string essence_of_host_text(std::string_view text);

}  // namespace warpbook::toolchain
