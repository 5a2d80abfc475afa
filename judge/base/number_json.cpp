#include "judge/base/number_json.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace warpbook {

nlohmann::json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from_json(const nlohmann::json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto text = json.get<std::string>();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "inf" ? infinity : text == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace warpbook
