#include "common/operators/registry.hpp"

#include <algorithm>
#include <set>

#include "judge/tests/catch.hpp"

using namespace warpbook::operators;

namespace {

bool knows(const Operator& op, const std::string& parameter) {
  const auto named = [&](const auto& thing) { return thing.name == parameter; };
  return std::any_of(op.tensors().begin(), op.tensors().end(), named) || std::any_of(op.scalars().begin(), op.scalars().end(), named);
}

}  // namespace

TEST_CASE("operators are found by name") {
  const std::vector<std::string> names = operator_names();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::find(names.begin(), names.end(), "row_sum_max") != names.end());
  for (const std::string& name : operator_names()) {
    REQUIRE(find_operator(name) != nullptr);
    CHECK(find_operator(name)->name() == name);
  }
  CHECK(find_operator("softmin") == nullptr);
  CHECK(find_operator("layernorm")->bounds() == std::vector<std::string>{"two-pass", "two-moment"});
}

TEST_CASE("every operator's table is consistent") {
  const std::set<std::string> c_types = {"int", "float", "long long"};
  for (const std::string& name : operator_names()) {
    const Operator& op = *find_operator(name);
    INFO(name);
    CHECK_FALSE(op.bounds().empty());
    std::set<std::string> names;
    for (const Tensor& tensor : op.tensors()) {
      INFO(tensor.name);
      CHECK(names.insert(tensor.name).second);
      CHECK_FALSE(tensor.meaning.empty());
    }
    for (const Scalar& scalar : op.scalars()) {
      INFO(scalar.name);
      CHECK(names.insert(scalar.name).second);
      CHECK(c_types.count(scalar.c_type) == 1);
      const std::size_t stride = scalar.name.rfind("_stride");
      if (stride != std::string::npos) CHECK(knows(op, scalar.name.substr(0, stride)));
    }
    for (const std::string& parameter : op.default_parameters()) CHECK(knows(op, parameter));
    CHECK((knows(op, "rows") && knows(op, "cols")));
  }
}
