#pragma once
#include <string>
#include <string_view>

namespace warpbook::vgpu {

/// The C++ spelling of a mangled name ("row_sum(float const*, int)"); the name itself when it is none. Anonymous namespaces are left out.
std::string demangle(std::string_view mangled);

/// What a variable is called in its function: "tile" for "kernel(float*)::tile". For a mangled name or one that is none.
std::string variable_name(std::string_view mangled);

}  // namespace warpbook::vgpu
