// Tensors whose rows or columns are counted by a scalar of the case.
#include "judge/task/task_fixture.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

/// A query of [rows, cols] against keys of [keys, cols], the best `k` of them, weights for each key.
class CountingOperator final : public operators::Operator {
 public:
  std::string_view name() const override { return "attention"; }
  const std::vector<operators::Tensor>& tensors() const override { return tensors_; }
  const std::vector<operators::Scalar>& scalars() const override { return scalars_; }
  const std::vector<std::string>& default_parameters() const override { return parameters_; }
  std::vector<std::string> bounds() const override { return {"any"}; }
  std::vector<operators::Expected> expect(const operators::Arguments&, std::string_view) const override { return {}; }

 private:
  std::vector<operators::Tensor> tensors_{{.name = "q"},
                                          {.name = "keys", .row_count = "n"},
                                          {.name = "weight", .shape = operators::Shape::kRowVector, .col_count = "n"},
                                          {.name = "values", .row_count = "rows * n"}};
  std::vector<operators::Scalar> scalars_{{"rows", "int"}, {"cols", "int"}, {"n", "int", 6}, {"scale", "float", 1}};
  std::vector<std::string> parameters_{"q", "keys", "weight", "values", "rows", "cols", "n"};
};

Result<Task> read_with(const std::string& inside) {
  static const CountingOperator op;
  const OperatorLookup lookup{[](std::string_view name) -> const operators::Operator* { return name == op.name() ? &op : nullptr; },
                              [] { return std::vector<std::string>{"attention"}; }};
  const std::string text = R"(<exercise id="attend" level="3" operator="attention" launch="launch">
  <title>Attention</title>
  <points normal="4" boundary="4" efficiency="2"/>
  <cases><normal name="a" rows="2" cols="4" gpu-rows="9" about="one">)" +
                           inside + R"(</normal><boundary name="b" rows="1" cols="1" about="one"/></cases>
  <efficiency><passes tensor="q" read="1"/></efficiency>
</exercise>)";
  return read_manifest(text, "exercise.xml", "attend", lookup);
}

std::string refusal(const std::string& inside) {
  const auto task = read_with(inside);
  return task ? "accepted" : task.error().what;
}

std::string poke(const std::string& tensor, const std::string& row, const std::string& index) {
  return fmt::format(R"(<fill tensor="{}" kind="constant" value="0"><poke at="element" row="{}" index="{}" value="1"/></fill>)", tensor,
                     row, index);
}

}  // namespace

TEST_CASE("a case gives counts as scalars, and what it says of a tensor must lie inside them") {
  CHECK(refusal(poke("keys", "5", "3")) == "accepted");  // six keys by default
  CHECK(refusal(poke("keys", "6", "3")) != "accepted");
  CHECK(refusal(poke("keys", "5", "4")) != "accepted");
  CHECK(refusal(poke("keys", "32", "3") + R"(<scalar name="n" value="33"/>)") == "accepted");
  CHECK(refusal(poke("weight", "0", "5")) == "accepted");
  CHECK(refusal(poke("weight", "0", "6")) != "accepted");
  CHECK(refusal(poke("values", "11", "0")) == "accepted");  // two rows here, nine on a GPU: a poke must lie in both
  CHECK(refusal(poke("values", "12", "0")) != "accepted");
  CHECK(refusal(poke("q", "2", "0")) != "accepted");
}

TEST_CASE("a count is a whole number, and a tensor has an end") {
  CHECK(refusal(R"(<scalar name="n" value="2.5"/>)").find("'n' counts elements, expected a whole number from 1") == 0);
  CHECK(refusal(R"(<scalar name="n" value="0"/>)").find("'n' counts elements") == 0);
  CHECK(refusal(R"(<scalar name="n" value="nan"/>)").find("'n' counts elements") == 0);
  CHECK(refusal(R"(<scalar name="scale" value="2.5"/>)") == "accepted");
  CHECK(refusal(R"(<scalar name="n" value="1e10"/>)").find("'keys' has more than 8589934592 elements") == 0);
  CHECK(refusal(R"(<scalar name="n" value="3e8"/>)").find("'values' has more than 8589934592 elements") == 0);  // 9 x 3e8 x 4
}

TEST_CASE("only tensors that always agree share memory") {
  CHECK(refusal(R"(<layout tensor="q" alias="keys"/>)").find("'q' and 'keys' differ in shape or type") == 0);
  CHECK(refusal(R"(<layout tensor="keys" stride="4"/>)") == "accepted");
  CHECK(refusal(R"(<layout tensor="keys" stride="3"/>)") != "accepted");
}
