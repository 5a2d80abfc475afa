#include <cmath>
#include <limits>

#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;

namespace {

Expected scaled(std::vector<double> x, double alpha) {
  const auto cols = static_cast<std::int64_t>(x.size());
  return row_scale().expect({1, cols, {{"x", {1, cols, std::move(x)}}}, {{"alpha", alpha}}}, "").at(0);
}

}  // namespace

TEST_CASE("row scale: one rounded product an element, and no error is allowed") {
  const float x = 0.7f, alpha = 1.1f;
  const float volatile product = x * alpha;
  const Expected y = scaled({static_cast<double>(x), -2, 0x1p-100, 0x1p-149}, static_cast<double>(alpha));
  CHECK(y.value[0] == product);
  CHECK(y.value[0] != static_cast<double>(x) * static_cast<double>(alpha));  // rounded
  CHECK(y.value[1] == static_cast<double>(-2 * alpha));
  CHECK(y.value[2] == static_cast<double>(0x1p-100f * alpha));
  CHECK(y.value[3] == 0x1p-149);  // the smallest denormal, times 1.1, is itself again
  CHECK(y.bound == std::vector<double>{0, 0, 0, 0});
  CHECK(y.open.empty());
  CHECK(scaled({1, 2}, 0.1).value[0] == static_cast<double>(0.1f));  // alpha reaches a kernel as a float
}

TEST_CASE("row scale: what is not finite") {
  const double inf = std::numeric_limits<double>::infinity();
  const Expected y = scaled({inf, -inf, std::nan(""), 3e38, 0}, -2);
  CHECK((y.value[0] == -inf && y.value[1] == inf && std::isnan(y.value[2]) && y.value[3] == -inf));
  CHECK(std::isnan(scaled({inf}, 0).value[0]));
}
