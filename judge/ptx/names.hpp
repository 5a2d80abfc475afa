#pragma once
// Names of types, special registers and modifiers as PTX writes them.
#include <optional>
#include <string_view>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

/// Type of "f32" (without the dot).
std::optional<Type> type_of(std::string_view name);

/// Special register of "%tid.x".
std::optional<SpecialRegister> special_of(std::string_view name);
std::string_view name_of(SpecialRegister special);

/// True for special registers that PTX has and this version has not, e.g. "%clusterid.x", and for whole vectors such as "%tid".
bool is_refused_special(std::string_view name);

}  // namespace warpbook::ptx
