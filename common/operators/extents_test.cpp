#include <limits>

#include "common/operators/description.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;

namespace {

/// An operator of nothing but shapes.
Description shapes() {
  return {
      .name = "shapes",
      .tensors = {{.name = "q"},
                  {.name = "weight", .shape = Shape::kRowVector},
                  {.name = "loss", .role = Role::kOutput, .shape = Shape::kColumnVector},
                  {.name = "k", .row_count = "keys"},
                  {.name = "all_k", .row_count = "rows*  keys"},
                  {.name = "best", .role = Role::kOutput, .col_count = "top"},
                  {.name = "bias", .shape = Shape::kRowVector, .col_count = "2 * top"},
                  {.name = "tail", .shape = Shape::kColumnVector, .row_count = "keys"}},
      .scalars = {{"rows", "int"}, {"cols", "int"}, {"keys", "int", 7}, {"top", "int", 3}},
      .default_parameters = {},
      .bounds = {"none"},
      .expect = [](const Arguments& a, std::string_view) { return std::vector<Expected>{blank_expectation("best", a.rows, 3)}; },
  };
}

std::optional<Extents> extents(std::string_view tensor, const ScalarValues& scalars = {}) {
  static const DescribedOperator op(shapes());
  for (const Tensor& t : op.tensors()) {
    if (t.name == tensor) return extents_of(op, t, 4, 5, scalars);
  }
  return std::nullopt;
}

std::optional<Extents> of_count(const std::string& row_count, const ScalarValues& scalars = {}) {
  static const DescribedOperator op(shapes());
  return extents_of(op, {.name = "t", .row_count = row_count}, 4, 5, scalars);
}

}  // namespace

TEST_CASE("a tensor has the rows and columns of its case unless it names others") {
  CHECK(extents("q") == Extents{4, 5});
  CHECK(extents("weight") == Extents{1, 5});
  CHECK(extents("loss") == Extents{4, 1});
  CHECK(extents("k") == Extents{7, 5});
  CHECK(extents("k", {{"keys", 33}}) == Extents{33, 5});
  CHECK(extents("all_k", {{"keys", 2}}) == Extents{8, 5});
  CHECK(extents("best") == Extents{4, 3});
  CHECK(extents("bias", {{"top", 1}}) == Extents{1, 2});
  CHECK(extents("tail") == Extents{7, 1});
  CHECK(extents("k", {{"keys", 0}}) == Extents{0, 5});
}

TEST_CASE("a count that is none gives no shape") {
  CHECK_FALSE(of_count("kyes"));
  CHECK_FALSE(of_count("keys *"));
  CHECK_FALSE(of_count("-1"));
  CHECK_FALSE(of_count("3x"));
  CHECK_FALSE(of_count("keys", {{"keys", 2.5}}));
  CHECK_FALSE(of_count("keys", {{"keys", -1}}));
  CHECK_FALSE(of_count("keys", {{"keys", std::numeric_limits<double>::quiet_NaN()}}));
  CHECK_FALSE(of_count("keys", {{"keys", 1e300}}));
  CHECK_FALSE(of_count("keys * top", {{"keys", 0x1p40}, {"top", 0x1p40}}));
  CHECK(of_count("keys * top", {{"keys", 0x1p30}, {"top", 0x1p20}}) == Extents{std::int64_t{1} << 50, 5});
}

TEST_CASE("counts are told from other scalars, and shapes that always agree from those that do not") {
  const DescribedOperator op(shapes());
  CHECK(counts_elements(op, "keys"));
  CHECK(counts_elements(op, "top"));
  CHECK(counts_elements(op, "rows"));
  CHECK_FALSE(counts_elements(op, "key"));
  CHECK(same_extents(op.tensors()[0], {.name = "other"}));
  CHECK_FALSE(same_extents(op.tensors()[0], op.tensors()[1]));
  CHECK_FALSE(same_extents(op.tensors()[0], op.tensors()[3]));
  CHECK_FALSE(same_extents(op.tensors()[3], op.tensors()[4]));
}

TEST_CASE("an input of another size than its scalars say is refused") {
  const DescribedOperator op({.name = "one",
                              .tensors = {{.name = "k", .row_count = "keys"}},
                              .scalars = {{"keys", "int", 2}},
                              .default_parameters = {},
                              .bounds = {"none"},
                              .expect = [](const Arguments&, std::string_view) { return std::vector<Expected>(1); }});
  CHECK(op.expect({1, 2, {{"k", {2, 2, {1, 2, 3, 4}}}}, {}}, "").size() == 1);
  CHECK(op.expect({1, 2, {{"k", {1, 2, {1, 2}}}}, {}}, "").empty());
  CHECK(op.expect({1, 2, {{"k", {1, 2, {1, 2}}}}, {{"keys", 1}}}, "").size() == 1);
  CHECK(op.expect({1, 2, {{"k", {1, 2, {1, 2}}}}, {{"keys", 1.5}}}, "").empty());
}
