#pragma once
// Numbers as JSON. It has no NaN and no infinity: those become the strings "nan", "inf", "-inf".
#include <nlohmann/json.hpp>

namespace warpbook {

nlohmann::json number_to_json(double value);
/// Throws nlohmann's exception on what is neither a number nor a string.
double number_from_json(const nlohmann::json& json);

}  // namespace warpbook
