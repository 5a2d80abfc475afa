#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/emulation/emulated_block.hpp"
#include "common/operators/emulation/emulated_cases.hpp"
#include "common/operators/registry.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::operators;
using namespace warpbook::operators::emulation;
using warpbook::inputs::FillKind;
using warpbook::inputs::PokeAt;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

enum class Mistake {
  kNone,
  kNotRescaled,
  kNotDivided,
  kScaleTwice,
  kNoScale,
  kNoGuard,
  kMaskIgnored,
  kLastTileShort,
  kKeysOfRowZero,
  kDividesEachTile
};

/// How a kernel goes about it.
struct Way {
  int tile = 32;              ///< keys between two rescalings; larger than any row: the classical three steps
  bool lanes = true;          ///< a dot product by 32 lanes and a butterfly, or by one thread
  bool scaled_query = false;  ///< the scale multiplied into the query beforehand
};

float score_of(const Arguments& a, std::size_t row, int j, const Way& way, const Mode& mode, Mistake mistake) {
  const auto cols = static_cast<std::size_t>(a.cols);
  const auto keys = static_cast<std::size_t>(a.scalars.at("keys"));
  float scale = static_cast<float>(a.scalars.at("scale"));
  if (mistake == Mistake::kScaleTwice) scale *= scale;
  if (mistake == Mistake::kNoScale) scale = 1;
  const double* q = a.tensors.at("q").data.data() + row * cols;
  const double* k =
      a.tensors.at("k").data.data() + ((mistake == Mistake::kKeysOfRowZero ? 0 : row * keys) + static_cast<std::size_t>(j)) * cols;
  const float before = way.scaled_query ? scale : 1.0f;
  const auto term = [&](float sum, int i) { return mode.multiply_add(static_cast<float>(q[i]) * before, static_cast<float>(k[i]), sum); };
  float dot = 0;
  if (way.lanes) {
    dot = sum_block({.threads = 32}, static_cast<int>(cols), term);
  } else {
    for (int i = 0; i < static_cast<int>(cols); ++i) dot = term(dot, i);
  }
  const float score = way.scaled_query ? dot : dot * scale;
  const std::vector<double>& mask = a.tensors.at("mask").data;
  if (mask.empty() || mistake == Mistake::kMaskIgnored) return score;
  return score + static_cast<float>(mask[row * keys + static_cast<std::size_t>(j)]);
}

/// One row by tiles of keys: maximum and sum of the tile, what is accumulated rescaled, the tile added.
std::vector<float> attend(const Arguments& a, std::size_t row, const Way& way, const Mode& mode, Mistake mistake) {
  const auto cols = static_cast<std::size_t>(a.cols);
  const int keys = static_cast<int>(a.scalars.at("keys"));
  const double* v = a.tensors.at("v").data.data() + row * static_cast<std::size_t>(keys) * cols;
  std::vector<float> out(cols, 0.0f);
  float m = -kInf, d = 0;
  const int end = mistake == Mistake::kLastTileShort ? keys / way.tile * way.tile : keys;
  for (int first = 0; first < end; first += way.tile) {
    const int last = std::min(first + way.tile, end);
    std::vector<float> scores;
    for (int j = first; j < last; ++j) scores.push_back(score_of(a, row, j, way, mode, mistake));
    const float larger = std::fmax(m, *std::max_element(scores.begin(), scores.end()));
    if (larger == -kInf && mistake != Mistake::kNoGuard) continue;
    const float rescale = mistake == Mistake::kNotRescaled ? 1.0f : mode.exp(m - larger);
    d *= rescale;
    for (float& o : out) o *= rescale;
    float tile_sum = 0;
    for (int j = first; j < last; ++j) {
      const float e = mode.exp(scores[static_cast<std::size_t>(j - first)] - larger);
      tile_sum += e;
      for (std::size_t i = 0; i < cols; ++i)
        out[i] = mode.multiply_add(e, static_cast<float>(v[static_cast<std::size_t>(j) * cols + i]), out[i]);
    }
    d += tile_sum;
    m = larger;
    if (mistake == Mistake::kDividesEachTile) {
      for (float& o : out) o /= d;
    }
  }
  const bool undivided =
      mistake == Mistake::kNotDivided || mistake == Mistake::kDividesEachTile || (m == -kInf && mistake != Mistake::kNoGuard);
  for (float& o : out) o = undivided ? o : mode.divide(o, d);
  return out;
}

CaseData sized(std::string name, int rows, int keys, int d, double scale) {
  return {.name = std::move(name), .rows = rows, .cols = d, .scalars = {{"keys", keys}, {"scale", scale}}};
}

CaseData with(CaseData data, const std::string& tensor, const warpbook::inputs::Fill& fill) {
  data.others[tensor] = fill;
  return data;
}

const std::vector<CaseData>& cases() {
  const auto hidden = [](PokeAt at, std::int64_t count) { return poked(constant(0), {.at = at, .count = count, .value = -kInf}); };
  static const std::vector<CaseData> all = {
      sized("one key", 2, 1, 8, 0.5),
      sized("two keys", 2, 2, 4, 0.5),
      sized("64 keys", 2, 64, 64, 0.125),
      sized("257 keys", 2, 257, 64, 0.125),
      sized("d 33", 2, 100, 33, 0.25),
      with(sized("first tile hidden", 2, 100, 16, 0.25), "mask", hidden(PokeAt::kPrefix, 40)),
      with(sized("last tile hidden", 2, 100, 16, 0.25), "mask", hidden(PokeAt::kSuffix, 50)),
      with(sized("all hidden", 2, 40, 16, 0.25), "mask", constant(-kInfinity)),
      with(sized("falling scores", 1, 128, 16, 0.25), "mask", {.kind = FillKind::kRamp, .value = 0, .step = -0.5}),
      with(sized("rising scores", 1, 128, 16, 0.25), "mask", {.kind = FillKind::kRamp, .value = 0, .step = 0.5}),
      with(with(sized("alike", 1, 300, 128, 0.088), "q", constant(0.7)), "k", constant(0.3)),
      with(sized("sharp", 2, 128, 64, 0.125), "q", normal(0, 20)),
      with(sized("v around 1000", 2, 128, 64, 0.125), "v", normal(1000, 1)),
  };
  return all;
}

double run(const Arguments& arguments, const Expected& expected, const Way& way, const Mode& mode, Mistake mistake = Mistake::kNone) {
  std::vector<float> out;
  for (std::size_t row = 0; row < static_cast<std::size_t>(arguments.rows); ++row) {
    const std::vector<float> one = attend(arguments, row, way, mode, mistake);
    out.insert(out.end(), one.begin(), one.end());
  }
  return worst_ratio(expected, out);
}

Expected expect(const Arguments& arguments) { return attention_row().expect(arguments, "").at(0); }

/// A row of two keys and d = 2.
Arguments small(std::vector<double> mask, double scale = 1) {
  return {1,
          2,
          {{"q", {1, 2, {1, 2}}}, {"k", {2, 2, {1, 0, 0, 1}}}, {"v", {2, 2, {10, 20, 30, 60}}}, {"mask", {1, 2, std::move(mask)}}},
          {{"keys", 2}, {"scale", scale}}};
}

}  // namespace

TEST_CASE("attention row: the reference, worked by hand") {
  // scores 1 and 2
  const double w = 1 / (1 + std::exp(1.0));
  const Expected out = expect(small({}));
  CHECK(out.value[0] == Approx(10 * w + 30 * (1 - w)));
  CHECK(out.value[1] == Approx(20 * w + 60 * (1 - w)));
  CHECK(expect(small({0, -1})).value[0] == Approx(20));
  CHECK(expect(small({}, 0)).value[1] == Approx(40));
  CHECK(expect(small({-kInfinity, 0})).value == std::vector<double>{30, 60});
  // a_j of q . k = 1 and 2 with d = 2: 9 A + 2 |s|
  const double u = 0x1p-24, e0 = 11 * u + 5 * u, e1 = 22 * u, average = w * e0 + (1 - w) * e1;
  CHECK(out.bound[0] == Approx(10 * w * (e0 + average + 34 * u) + 30 * (1 - w) * (e1 + average + 34 * u)));
}

TEST_CASE("attention row: hidden rows, and rows of which nothing is promised") {
  const Expected hidden = expect(small({-kInfinity, -kInfinity}));
  CHECK((hidden.value == std::vector<double>{0, 0} && hidden.bound == std::vector<double>{0, 0} && !hidden.is_open(0)));
  CHECK(expect(small({kNan, 0})).is_open(1));
  CHECK(expect(small({kInfinity, 0})).is_open(0));
  Arguments with_nan = small({});
  with_nan.tensors["v"].data[3] = kNan;
  CHECK(expect(with_nan).is_open(0));
  Arguments three_keys = small({});
  three_keys.scalars["keys"] = 3;
  CHECK(attention_row().expect(three_keys, "").empty());
}

TEST_CASE("attention row: every row has keys of its own") {
  Arguments two{2, 1, {{"q", {2, 1, {1, 1}}}, {"k", {2, 1, {0, 0}}}, {"v", {2, 1, {5, 7}}}}, {{"keys", 1}, {"scale", 1}}};
  CHECK(expect(two).value == std::vector<double>{5, 7});
}

TEST_CASE("attention row: right kernels stay below the bound in every mode") {
  double worst = 0;
  for (const CaseData& data : cases()) {
    const Arguments arguments = arguments_of(attention_row(), data);
    const Expected expected = expect(arguments);
    for (const int tile : {1, 16, 32, 1000}) {
      for (const bool lanes : {false, true}) {
        for (const bool scaled_query : {false, true}) {
          for (const int ulps : {-2, 2}) {
            for (const bool fused : {false, true}) {
              INFO(data.name << ", tile " << tile << ", lanes " << lanes << ", scaled query " << scaled_query << ", ulps " << ulps);
              const double r = run(arguments, expected, {tile, lanes, scaled_query}, {.fused = fused, .ulps = ulps, .fast_exp = true});
              REQUIRE(r <= 1);
              worst = std::max(worst, r);
            }
          }
        }
      }
    }
  }
  CHECK(worst > 0.05);  // one thread may add up all there is (d and n terms), and rarely errs that way
}

TEST_CASE("attention row: wrong kernels go beyond the bound where they should show") {
  struct Wrong {
    const char* name;
    Mistake mistake;
    std::vector<const char*> cases;
  };
  using enum Mistake;
  const std::vector<Wrong> wrong = {
      {"accumulator not rescaled", kNotRescaled, {"64 keys", "257 keys", "rising scores", "sharp"}},
      {"final division missing", kNotDivided, {"two keys", "64 keys", "257 keys", "falling scores", "v around 1000"}},
      {"scale applied twice", kScaleTwice, {"two keys", "64 keys", "257 keys", "d 33", "sharp"}},
      {"no scale", kNoScale, {"two keys", "64 keys", "257 keys", "d 33"}},
      {"hidden tile gives NaN", kNoGuard, {"first tile hidden", "all hidden"}},
      {"mask ignored", kMaskIgnored, {"first tile hidden", "last tile hidden", "all hidden", "falling scores"}},
      {"last tile dropped", kLastTileShort, {"one key", "two keys", "257 keys", "d 33"}},
      {"keys of row 0", kKeysOfRowZero, {"two keys", "64 keys", "257 keys", "d 33", "sharp"}},
      {"divides after each tile", kDividesEachTile, {"64 keys", "257 keys", "d 33"}},
  };
  for (const Wrong& w : wrong) {
    for (const CaseData& data : cases()) {
      if (std::find(w.cases.begin(), w.cases.end(), data.name) == w.cases.end()) continue;
      const Arguments arguments = arguments_of(attention_row(), data);
      INFO(w.name << " in " << data.name);
      CHECK(run(arguments, expect(arguments), {}, {}, w.mistake) > 1);
    }
  }
}
