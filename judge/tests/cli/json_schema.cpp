#include "judge/tests/cli/json_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbook::cli {
namespace {

using nlohmann::json;
using Found = std::vector<std::string>;

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "null" && value.is_null();
}

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  void check(const json& schema, const json& value, const std::string& path) {
    know_keywords(schema, path);
    if (schema.contains("$ref")) return check(resolve(schema["$ref"], path), value, path);
    if (schema.contains("const") && value != schema["const"]) complain(path, value, schema["const"].dump());
    if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      complain(path, value, "one of " + schema["enum"].dump());
    if (schema.contains("oneOf")) check_one_of(schema["oneOf"], value, path);
    if (schema.contains("type") && !has_type(value, schema["type"])) return complain(path, value, schema["type"]);
    if (value.is_object()) check_object(schema, value, path);
    if (value.is_array()) check_array(schema, value, path);
  }

  Found found;

 private:
  void complain(const std::string& path, const json& value, const std::string& expected) {
    found.push_back(fmt::format("{}: is {}, expected {}", path, value.dump(), expected));
  }

  void know_keywords(const json& schema, const std::string& path) {
    static const std::set<std::string> kKnown = {
        "$schema", "$defs", "$ref",  "title", "description", "type",    "required", "properties", "additionalProperties",
        "items",   "enum",  "const", "oneOf", "minItems",    "maxItems"};
    for (const auto& [name, ignored] : schema.items())
      if (kKnown.count(name) == 0)
        found.push_back(fmt::format("{}: the schema uses the keyword '{}', which this validator does not know", path, name));
  }

  /// "#/$defs/case"
  const json& resolve(const std::string& reference, const std::string& path) {
    static const json kAnything = json::object();
    const json::json_pointer place(reference.substr(1));
    if (reference[0] == '#' && root_.contains(place)) return root_[place];
    found.push_back(fmt::format("{}: the schema refers to {}, which is not there", path, reference));
    return kAnything;
  }

  void check_one_of(const json& choices, const json& value, const std::string& path) {
    const auto fits = std::count_if(choices.begin(), choices.end(), [&](const json& choice) {
      Validator one(root_);
      one.check(choice, value, path);
      return one.found.empty();
    });
    if (fits != 1) complain(path, value, fmt::format("exactly one of {}; {} fit", choices.dump(), fits));
  }

  void check_object(const json& schema, const json& value, const std::string& path) {
    for (const json& name : schema.value("required", json::array()))
      if (!value.contains(name.get<std::string>())) found.push_back(fmt::format("{}: lacks '{}'", path, name.get<std::string>()));
    const json properties = schema.value("properties", json::object());
    const json others = schema.value("additionalProperties", json(true));
    for (const auto& [name, member] : value.items()) {
      const std::string inner = path + "/" + name;
      if (properties.contains(name)) check(properties[name], member, inner);
      else if (others.is_object()) check(others, member, inner);
      else if (!others.get<bool>()) found.push_back(inner + ": is not in the schema");
    }
  }

  void check_array(const json& schema, const json& value, const std::string& path) {
    if (value.size() < schema.value("minItems", std::size_t{0})) found.push_back(path + ": has too few items");
    if (value.size() > schema.value("maxItems", value.size())) found.push_back(path + ": has too many items");
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i) check(schema["items"], value[i], fmt::format("{}/{}", path, i));
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> disagreements(const json& schema, const json& value) {
  Validator validator(schema);
  validator.check(schema, value, "");
  return std::move(validator.found);
}

}  // namespace warpbook::cli
