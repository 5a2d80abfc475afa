#include "judge/task/compulsory.hpp"

#include "judge/tests/catch.hpp"

namespace warpbook::task {
namespace {

Task of(const std::string& operator_name, std::vector<std::string> parameters) {
  Task task;
  task.operator_name = operator_name;
  task.parameters = std::move(parameters);
  return task;
}

Case shape(std::int64_t rows, std::int64_t cols, CaseKind kind = CaseKind::kNormal) {
  Case c;
  c.rows = rows;
  c.cols = cols;
  c.kind = kind;
  return c;
}

}  // namespace

TEST_CASE("what goes in and what comes out, once each") {
  const Task softmax = of("softmax", {"x", "y", "rows", "cols"});
  CHECK(compulsory_bytes(softmax, shape(64, 128)) == 2 * 64 * 128 * 4);
  // A row vector counts as one row.
  const Task layernorm = of("layernorm", {"x", "gamma", "beta", "y", "rows", "cols", "eps"});
  CHECK(compulsory_bytes(layernorm, shape(10, 100)) == (2 * 10 * 100 + 2 * 100) * 4);
  Case without = shape(10, 100);
  without.layouts["gamma"].absent = true;
  CHECK(compulsory_bytes(layernorm, without) == (2 * 10 * 100 + 100) * 4);
  // What the launch function does not take does not move.
  CHECK(compulsory_bytes(of("layernorm", {"x", "y", "rows", "cols", "eps"}), shape(10, 100)) == 2 * 10 * 100 * 4);
  CHECK_FALSE(compulsory_bytes(of("nothing", {}), shape(1, 1)));
}

TEST_CASE("what is read and written counts twice") {
  const Task fused = of("fused_add_rmsnorm", {"hidden", "residual", "weight", "rows", "cols", "eps"});
  CHECK(compulsory_bytes(fused, shape(3, 7)) == (4 * 3 * 7 + 7) * 4);
}

TEST_CASE("the telling case is the largest normal one") {
  Task task;
  CHECK(telling_case(task) == nullptr);
  task.cases = {shape(2, 100), shape(9, 100, CaseKind::kBoundary), shape(3, 100), shape(1, 300)};
  CHECK(telling_case(task) == &task.cases[2]);
}

}  // namespace warpbook::task
