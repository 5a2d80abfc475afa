#pragma once
// The part of JSON Schema that judge/report/result.schema.json uses. A keyword that this does not know is an error and not passed over:
// otherwise the schema could grow and nobody would check the new part.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warpbook::cli {

/// What in `value` disagrees with `schema`, each with the path of the value ("/cases/0/name: is 3, expected string"); empty when it fits.
std::vector<std::string> disagreements(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace warpbook::cli
