#pragma once
// Which source position of an instruction is the programmer's. atomicAdd, cooperative groups, CUB and the intrinsics are inlined from
// headers of the toolkit, so the innermost frame often names a line that nobody who reads the report has written; the line to show is the
// one that called it.
#include <string_view>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::device {

/// True for files that come with the CUDA toolkit or the host compiler, told by their folder or, where PTX names no folder, by their name.
bool is_toolkit_file(std::string_view path);

/// The innermost frame outside of such files; when all lie in them, the innermost of all; null when there are no frames.
const Frame* own_frame(const std::vector<Frame>& frames);

}  // namespace warpbook::device
