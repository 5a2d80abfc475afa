// Attention of one query a row over keys of its own, as one head sees it while a text is generated:
//
//   s_j = scale (q . k_j) + mask_j,   out = sum_j softmax(s)_j v_j
//
// Row r of q [rows, cols] has `keys` keys and values of `cols` elements: rows r * keys .. (r + 1) * keys - 1 of k and v. cols is the
// dimension d of a head. `scale` is given (1 / sqrt(d) as a rule) and applied once. mask [rows, keys] may be absent (0); -inf hides a
// key, and a row whose keys are all hidden is exactly 0. Promised for finite q, k, v with |s| <= 1e6 and for a mask of finite numbers
// and -inf: of a row with anything else in it nothing is promised.
//
// How far a right float kernel may be off. u = 2^-24, w = softmax(s), m the largest s, T = sum_j w_j |s_j - m|, n = keys.
//
// *A score.* Products and partial sums of q . k are at most A_j = |scale| sum_i |q_i k_ji| in units of the score. One thread that
// adds up d of them errs by d/2 u A_j where terms are alike (partial sums grow in a line), and much less where they are not; scale, a
// tree and the mask's addition round a few times more:
//   a_j = u ((8 + d/2) A_j + 2 |s_j|) + u |mask_j|
// *A weight.* An absolute error of the exponent is a relative one of the power. With what exponentials cost (softmax.cpp):
//   e_j = a_j + 5 u |s_j - m|, and through the denominator the average of it, e = sum_j w_j e_j.
// *The output.* Column i is a sum of w_j v_ji: each term errs by (e_j + e) of itself. One thread may add all n keys, and the
// denominator as well: n/2 u each, rescaling at each new maximum included. Constants of exponentials, rescaling and division: 32 u.
// Weights below 2^-126 may be flushed.
//
//   E_i = sum_j w_j |v_ji| (e_j + e + (32 + n) u) + 2^-125 sum_j |v_ji|
//
// Tried against right and wrong kernels in attention_row_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/operators/description.hpp"
#include "common/operators/registry.hpp"

namespace warpbook::operators {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kDefaultScale = 0.125;  // d = 64
constexpr double kDefaultKeys = 64;

using Span = std::span<const double>;

/// One row of the problem; mask is empty when absent.
struct Head {
  Span q, k, v, mask;
  double scale = 0;
  std::size_t keys = 0;

  double mask_at(std::size_t j) const { return mask.empty() ? 0 : mask[j]; }
  Span key(std::size_t j) const { return k.subspan(j * q.size(), q.size()); }
  double value(std::size_t j, std::size_t col) const { return v[j * q.size() + col]; }
};

bool all_finite(Span values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool is_promised(const Head& head) {
  const auto allowed = [](double m) { return std::isfinite(m) || m == -kInf; };
  return all_finite(head.q) && all_finite(head.k) && all_finite(head.v) && std::all_of(head.mask.begin(), head.mask.end(), allowed);
}

/// A key that is not hidden: its score, the score's error, and later its weight.
struct Seen {
  std::size_t key = 0;
  double score = 0, error = 0, weight = 0;
};

std::vector<Seen> seen_keys(const Head& head) {
  std::vector<Seen> seen;
  const double depth = 8 + static_cast<double>(head.q.size()) / 2;
  for (std::size_t j = 0; j < head.keys; ++j) {
    if (head.mask_at(j) == -kInf) continue;
    CompensatedSum dot, sizes;
    for (std::size_t i = 0; i < head.q.size(); ++i) {
      dot.add(head.q[i] * head.key(j)[i]);
      sizes.add(std::fabs(head.q[i] * head.key(j)[i]));
    }
    const double score = head.scale * dot.value() + head.mask_at(j);
    const double error = kU * (depth * std::fabs(head.scale) * sizes.value() + 2 * std::fabs(score) + std::fabs(head.mask_at(j)));
    seen.push_back({j, score, error, 0});
  }
  return seen;
}

/// Weights of the keys; their errors become relative ones (e_j). Returns their average e.
double weigh(std::vector<Seen>& seen) {
  double m = -kInf;
  for (const Seen& s : seen) m = std::max(m, s.score);
  CompensatedSum sum, average;
  for (Seen& s : seen) {
    s.weight = std::exp(s.score - m);
    s.error += 5 * kU * (m - s.score);
    sum.add(s.weight);
  }
  for (Seen& s : seen) {
    s.weight /= sum.value();
    average.add(s.weight * s.error);
  }
  return average.value();
}

void expect_head(const Head& head, std::size_t first, Expected& out) {
  std::vector<Seen> seen = seen_keys(head);
  if (seen.empty()) return;  // exactly 0
  const double shared = weigh(seen) + kU * (32 + static_cast<double>(head.keys));
  for (std::size_t col = 0; col < head.q.size(); ++col) {
    CompensatedSum value, error;
    for (const Seen& s : seen) {
      const double v = head.value(s.key, col);
      value.add(s.weight * v);
      error.add(s.weight * std::fabs(v) * (s.error + shared) + 0x1p-125 * std::fabs(v));
    }
    out.value[first + col] = value.value();
    out.bound[first + col] = error.value();
  }
}

std::vector<Expected> expect_attention_row(const Arguments& arguments, std::string_view) {
  const Span q = values_of(arguments, "q"), k = values_of(arguments, "k"), v = values_of(arguments, "v"),
             mask = values_of(arguments, "mask");
  const auto cols = static_cast<std::size_t>(arguments.cols);
  const auto keys = static_cast<std::size_t>(count_scalar(arguments, "keys", kDefaultKeys));
  const double scale = float_scalar(arguments, "scale", kDefaultScale);
  Expected out = blank_expectation("out", arguments.rows, arguments.cols);
  out.open.resize(out.value.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(arguments.rows); ++row) {
    const Head head{q.subspan(row * cols, cols),
                    k.subspan(row * keys * cols, keys * cols),
                    v.subspan(row * keys * cols, keys * cols),
                    mask.empty() ? Span{} : mask.subspan(row * keys, keys),
                    scale,
                    keys};
    if (is_promised(head)) {
      expect_head(head, row * cols, out);
    } else {
      std::fill_n(out.open.begin() + static_cast<std::ptrdiff_t>(row * cols), cols, std::uint8_t{1});
    }
  }
  return {out};
}

Description describe() {
  const inputs::Fill normal{.kind = inputs::FillKind::kNormal, .mean = 0, .sd = 1};
  return {
      .name = "attention_row",
      .tensors = {{.name = "q", .role = Role::kInput, .default_fill = normal, .meaning = "[rows, cols], one query a row"},
                  {.name = "k",
                   .role = Role::kInput,
                   .default_fill = normal,
                   .meaning = "[rows * keys, cols], the keys of row 0, then those of row 1...; row stride k_stride",
                   .row_count = "rows * keys"},
                  {.name = "v",
                   .role = Role::kInput,
                   .default_fill = normal,
                   .meaning = "[rows * keys, cols], one value a key; row stride v_stride",
                   .row_count = "rows * keys"},
                  {.name = "mask",
                   .role = Role::kInput,
                   .optional = true,
                   .default_fill = {.kind = inputs::FillKind::kConstant, .value = 0},
                   .meaning = "[rows, keys], added to the scores; -inf hides a key; null: 0",
                   .col_count = "keys"},
                  {.name = "out", .role = Role::kOutput, .meaning = "[rows, cols]"}},
      .scalars = {{"rows", "int"},
                  {"cols", "int"},
                  {"keys", "int", kDefaultKeys},
                  {"scale", "float", kDefaultScale},
                  {"k_stride", "long long"},
                  {"v_stride", "long long"}},
      .default_parameters = {"q", "k", "v", "mask", "out", "rows", "keys", "cols", "scale"},
      .bounds = {"attention"},
      .expect = expect_attention_row,
  };
}

}  // namespace

const Operator& attention_row() {
  static const DescribedOperator instance(describe());
  return instance;
}

}  // namespace warpbook::operators
