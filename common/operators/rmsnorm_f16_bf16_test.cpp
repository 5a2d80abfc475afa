#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/emulation/rmsnorm_kernels.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using warpbook::inputs::DType;
using warpbook::inputs::PokeAt;

namespace {

constexpr float kEps = 1e-6f;  // the default of the operator

struct Kind {
  std::string suffix;
  DType type;
};
const Kind kBoth[] = {{"half", DType::kF16}, {"bf16", DType::kBF16}};

CaseData both(std::string name, int rows, int cols, const warpbook::inputs::Fill& x, const warpbook::inputs::Fill& weight) {
  CaseData data{std::move(name), rows, cols};
  for (const Kind& kind : kBoth) {
    data.others["x_" + kind.suffix] = x;
    data.others["weight_" + kind.suffix] = weight;
  }
  return data;
}

const std::vector<CaseData>& cases() {
  static const std::vector<CaseData> all = {
      both("4x1024", 4, 1024, normal(0, 1), normal(1, 0.2)),
      both("odd", 3, 33, normal(1, 1), normal(1, 0.2)),
      both("fives", 1, 4096, constant(5), constant(1)),
      both("ones", 1, 4096, constant(1), constant(1)),
      both("256", 2, 257, poked(normal(0, 1), {.at = PokeAt::kLast, .value = 300}), constant(1)),
      both("small", 2, 257, normal(0, 1e-3), normal(1, 0.2)),
      both("1x1", 1, 1, constant(3), constant(2)),
  };
  return all;
}

std::vector<Mode> modes() {
  std::vector<Mode> list;
  for (const int threads : {32, 256, 1024}) {
    for (const bool fused : {false, true}) {
      for (const int ulps : {-2, 0, 2}) list.push_back({threads, fused, false, ulps});
    }
  }
  return list;
}

double run(const Kind& kind, const Arguments& arguments, const std::vector<Expected>& expected, const Mode& mode,
           RmsMistake mistake = RmsMistake::kNone) {
  const std::vector<float> x = floats(arguments, "x_" + kind.suffix), weight = floats(arguments, "weight_" + kind.suffix);
  std::vector<float> y(x.size());
  const auto cols = static_cast<std::size_t>(arguments.cols);
  for (std::size_t at = 0; at < x.size(); at += cols) {
    rmsnorm_row(std::span(x).subspan(at, cols), weight, kEps, kind.type, mode, mistake, std::span(y).subspan(at, cols));
  }
  return worst_ratio(kind.type == DType::kF16 ? expected[0] : expected[1], y, kind.type);
}

}  // namespace

TEST_CASE("rmsnorm of half and bfloat16: the reference is that of float, of the values that the types hold") {
  const Arguments arguments{1, 2, {{"x_bf16", {1, 2, {3, -4}}}, {"weight_bf16", {1, 2, {1, 2}}}}, {{"eps", 0.5}}};
  const std::vector<Expected> y = rmsnorm_f16_bf16().expect(arguments, "");
  REQUIRE(y.size() == 2);
  CHECK((y[0].tensor == "y_half" && y[0].is_open(0) && y[0].is_open(1)));  // not asked for
  CHECK((y[1].tensor == "y_bf16" && y[1].open.empty()));
  CHECK(y[1].value[1] == Approx(-8 / std::sqrt(13)).epsilon(1e-14));  // not yet rounded: the comparison does that
}

TEST_CASE("rmsnorm of half and bfloat16: right kernels stay below half of the bound") {
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(rmsnorm_f16_bf16(), data);
    const std::vector<Expected> expected = rmsnorm_f16_bf16().expect(arguments, "");
    for (const Kind& kind : kBoth) {
      for (const Mode& mode : modes()) {
        INFO(data.name << ", " << kind.suffix << ", " << mode.threads << " threads, fused " << mode.fused << ", ulps " << mode.ulps);
        REQUIRE(run(kind, arguments, expected, mode) <= 0.5);
      }
    }
  }
}

TEST_CASE("rmsnorm of half and bfloat16: wrong kernels go beyond twice the bound where they should show") {
  struct Wrong {
    const char* name;
    RmsMistake mistake;
    std::vector<const char*> half, bf16;
  };
  using enum RmsMistake;
  const std::vector<Wrong> wrong = {
      // (4096 ones do not show it: a tree over partial sums of 16 or 128 ones has powers of two alone)
      {"sum in the narrow type", kNarrowSum, {"4x1024", "fives", "256"}, {"4x1024", "256"}},
      {"squares in the narrow type", kNarrowSquare, {"256", "small"}, {"4x1024"}},
      {"product rounded before the weight", kNarrowProduct, {"4x1024", "odd"}, {"4x1024", "odd"}},
      {"weight and scale rounded first", kNarrowWeight, {"4x1024", "odd"}, {"4x1024", "odd"}},
      {"truncated", kTruncated, {"4x1024", "odd"}, {"4x1024", "odd"}},
      {"last of an odd row forgotten", kPairsOnly, {"odd", "256", "1x1"}, {"odd", "256", "1x1"}},
  };
  const auto names = [](const std::vector<const char*>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(rmsnorm_f16_bf16(), data);
    const std::vector<Expected> expected = rmsnorm_f16_bf16().expect(arguments, "");
    for (const Wrong& w : wrong) {
      for (const Kind& kind : kBoth) {
        if (!names(kind.type == DType::kF16 ? w.half : w.bf16, data.name)) continue;
        for (const int threads : {32, 256}) {
          INFO(w.name << " in " << data.name << ", " << kind.suffix << ", " << threads << " threads");
          CHECK(run(kind, arguments, expected, {threads}, w.mistake) > 2);
        }
      }
    }
  }
}
