#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/emulation/layernorm_kernels.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Expected expect(const Arguments& arguments) { return groupnorm().expect(arguments, "").at(0); }

/// Two images of two channels of two pixels.
Arguments images(double groups) {
  return {4,
          2,
          {{"x", {4, 2, {0, 2, 4, 8, 1, 1, 1, 1}}}, {"gamma", {1, 2, {1, 3}}}, {"beta", {1, 2, {0, 7}}}},
          {{"channels", 2}, {"groups", groups}, {"eps", 0.25}}};
}

enum class Mistake { kNone, kChannelsOfBatch, kGroupIsChannel, kWholeImage, kAffineByGroup, kInterleaved };

/// The groups one after another, each as a row of LayerNorm without its affine part; gamma and beta by channel afterwards.
std::vector<float> run(const Arguments& a, const Mode& mode, Method method, Mistake mistake = Mistake::kNone) {
  const std::vector<float> x = floats(a, "x"), gamma = floats(a, "gamma"), beta = floats(a, "beta");
  const auto channels = static_cast<std::size_t>(a.scalars.at("channels")), cols = static_cast<std::size_t>(a.cols);
  auto groups = static_cast<std::size_t>(a.scalars.at("groups"));
  if (mistake == Mistake::kGroupIsChannel) groups = channels;
  if (mistake == Mistake::kWholeImage) groups = 1;
  const std::size_t rows_of_group = channels / groups, size = rows_of_group * cols;
  const std::vector<float> ones(size, 1.0f), zeros(size, 0.0f);
  std::vector<float> y(x.size());
  for (std::size_t g = 0; g * size < x.size(); ++g) {
    // Channel c belongs to group c / (C/G); people also take c % G.
    const auto place = [&](std::size_t i) {
      if (mistake != Mistake::kInterleaved) return g * size + i;
      return (g / groups * channels + g % groups + i / cols * groups) * cols + i % cols;
    };
    std::vector<float> in(size), out(size);
    for (std::size_t i = 0; i < size; ++i) in[i] = x[place(i)];
    layernorm_row(in, ones, zeros, 1e-5f, mode, method, LayerNormMistake::kNone, out);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t row = place(i) / cols;
      std::size_t channel = row % channels;
      if (mistake == Mistake::kChannelsOfBatch) channel = row < channels ? row : channels - 1;
      if (mistake == Mistake::kAffineByGroup) channel = g % groups;
      y[place(i)] = mode.multiply_add(out[i], gamma[channel], beta[channel]);
    }
  }
  return y;
}

CaseData batch(std::string name, int images, int channels, int groups, int pixels, const warpbook::inputs::Fill& x) {
  return {
      .name = std::move(name), .rows = images * channels, .cols = pixels, .x = x, .scalars = {{"channels", channels}, {"groups", groups}}};
}

const std::vector<CaseData>& cases() {
  static const std::vector<CaseData> all = {
      batch("2x4x7x7", 2, 4, 2, 49, normal(0, 1)),
      batch("32 channels, 8 groups", 2, 32, 8, 64, normal(1, 1)),
      batch("a group a channel", 2, 6, 6, 100, normal(30, 1)),
      batch("one group", 3, 6, 1, 100, normal(0, 1e-3)),
      batch("one pixel", 2, 8, 2, 1, normal(3, 1)),
      batch("constant", 2, 8, 2, 64, constant(1000, 0)),
      batch("at 300", 1, 8, 2, 256, normal(300, 1)),
  };
  return all;
}

}  // namespace

TEST_CASE("groupnorm: the reference, worked by hand") {
  // every channel by itself: mean 1, variance 1, and mean 6, variance 4
  const Expected by_channel = expect(images(2));
  CHECK(by_channel.value[0] == Approx(-1 / std::sqrt(1.25)));
  CHECK(by_channel.value[3] == Approx(7 + 3 * 2 / std::sqrt(4.25)));
  // the image as one group: mean 3.5, variance 8.75
  const Expected whole = expect(images(1));
  CHECK(whole.value[1] == Approx(-1.5 / 3));
  CHECK(whole.value[2] == Approx(7 + 3 * 0.5 / 3));
  for (const std::size_t i : {4u, 5u}) CHECK((whole.value[i] == 0 && whole.value[i + 2] == 7));
}

TEST_CASE("groupnorm: NaN and infinity stay in their group, shapes must fit") {
  Arguments a = images(2);
  a.tensors["x"].data[1] = kNan;
  a.tensors["x"].data[4] = std::numeric_limits<double>::infinity();
  const Expected y = expect(a);
  CHECK((std::isnan(y.value[0]) && !y.is_open(0)));
  CHECK((std::isfinite(y.value[2]) && !y.is_open(2)));
  CHECK((y.is_open(4) && y.is_open(5) && !y.is_open(6)));
  CHECK(groupnorm().expect(images(3), "").empty());
  Arguments three = images(1);
  three.scalars["channels"] = 3;  // gamma has two
  CHECK(groupnorm().expect(three, "").empty());
  Arguments absent = images(1);
  absent.tensors.erase("gamma");
  absent.tensors.erase("beta");
  CHECK(expect(absent).value[2] == Approx(0.5 / 3));
}

TEST_CASE("groupnorm: right kernels stay below the bound, wrong ones do not") {
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(groupnorm(), data);
    const Expected expected = expect(arguments);
    for (const int threads : {32, 256}) {
      for (const bool fused : {false, true}) {
        for (const Method method : {Method::kTwoPass, Method::kWelford}) {
          INFO(data.name << ", " << threads << " threads, fused " << fused);
          CHECK(worst_ratio(expected, run(arguments, {.threads = threads, .fused = fused, .ulps = 2}, method)) <= 1);
        }
      }
    }
    using enum Mistake;
    const auto shows = [&](Mistake mistake) { return worst_ratio(expected, run(arguments, {}, Method::kTwoPass, mistake)) > 1; };
    INFO(data.name);
    const bool several = data.name == "2x4x7x7" || data.name == "32 channels, 8 groups";
    if (several) {
      CHECK(shows(kGroupIsChannel));
      CHECK(shows(kWholeImage));
      CHECK(shows(kAffineByGroup));
      CHECK(shows(kInterleaved));
      CHECK(shows(kChannelsOfBatch));
    }
    if (data.name == "one pixel") CHECK(shows(kGroupIsChannel));
  }
}
