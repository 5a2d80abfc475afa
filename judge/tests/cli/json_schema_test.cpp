// The validator itself: a check that never says no proves nothing.
#include "judge/tests/cli/json_schema.hpp"

#include "judge/tests/catch.hpp"

using nlohmann::json;
using warpbook::cli::disagreements;

namespace {

const json kSchema = json::parse(R"({
  "type": "object", "required": ["name", "size"], "additionalProperties": false,
  "properties": {
    "name": {"type": "string"}, "size": {"type": "integer"}, "version": {"const": 1}, "level": {"enum": ["low", "high"]},
    "value": {"$ref": "#/$defs/number"}, "place": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
    "counts": {"type": "object", "additionalProperties": {"type": "number"}}
  },
  "$defs": {"number": {"oneOf": [{"type": "number"}, {"enum": ["nan"]}]}}
})");

bool fits(const char* text) { return disagreements(kSchema, json::parse(text)).empty(); }

}  // namespace

TEST_CASE("a value that follows its schema fits") {
  CHECK(fits(R"({"name": "x", "size": 3})"));
  CHECK(fits(R"({"name": "x", "size": 3, "version": 1, "level": "low", "value": "nan", "place": [1, 2], "counts": {"a": 1.5, "b": 2}})"));
}

TEST_CASE("every keyword of a schema can refuse a value") {
  CHECK_FALSE(fits(R"([])"));
  CHECK_FALSE(fits(R"({"name": "x"})"));
  CHECK_FALSE(fits(R"({"name": 3, "size": 3})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3.5})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "other": 0})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "version": 2})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "level": "middle"})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "value": "inf"})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "place": [1]})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "place": [1, 2, 3, 4]})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "place": [1, "2"]})"));
  CHECK_FALSE(fits(R"({"name": "x", "size": 3, "counts": {"a": "1"}})"));
}

TEST_CASE("the path of a disagreement is named") {
  const auto found = disagreements(kSchema, json::parse(R"({"name": "x", "size": 3, "place": [1, true]})"));
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "/place/1: is true, expected integer");
}

TEST_CASE("a schema that asks for what the validator does not know is refused") {
  CHECK_FALSE(disagreements(json::parse(R"({"pattern": "x"})"), "x").empty());
  CHECK_FALSE(disagreements(json::parse(R"({"$ref": "#/$defs/nothing"})"), "x").empty());
}
