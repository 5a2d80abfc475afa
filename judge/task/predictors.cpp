// The table of predictors. Each computes what the hardware does, not what mathematics says: rounding happens where the GPU
// rounds, which is why products and sums are spelled out as float variables here.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "judge/task/number_text.hpp"
#include "judge/task/predict.hpp"

namespace warpbook::task {
namespace {

constexpr int kWarpLanes = 32;
constexpr int kSectorBytes = 32;

/// Reads parameters and keeps the first complaint, so that predictors stay formulas.
class Reader {
 public:
  explicit Reader(const Parameters& parameters) : parameters_(parameters) {}

  bool has(const std::string& name) const { return parameters_.count(name) > 0; }

  double number(const std::string& name, std::optional<double> fallback = {}) {
    if (!has(name) && fallback) return *fallback;
    const auto value = has(name) ? parse_number(trimmed(parameters_.at(name))) : std::nullopt;
    if (!value)
      complain(has(name) ? fmt::format("parameter '{}' is '{}', expected a number", name, parameters_.at(name))
                         : fmt::format("parameter '{}' is missing", name));
    return value.value_or(1);
  }

  /// A whole number from low to high.
  std::int64_t whole(const std::string& name, std::int64_t low, std::int64_t high, std::optional<double> fallback = {}) {
    const double value = number(name, fallback);
    if (value >= static_cast<double>(low) && value <= static_cast<double>(high) && value == std::floor(value))
      return static_cast<std::int64_t>(value);
    complain(fmt::format("parameter '{}' is {}, expected a whole number from {} to {}", name, value, low, high));
    return low;
  }

  std::vector<double> row(const std::string& name, std::size_t longest) {
    std::vector<double> values;
    for (const std::string& word : words_of(has(name) ? parameters_.at(name) : "")) {
      const auto value = parse_number(word);
      if (!value) complain(fmt::format("parameter '{}' holds '{}', expected numbers", name, word));
      values.push_back(value.value_or(0));
    }
    if (values.empty() || values.size() > longest) {
      complain(fmt::format("parameter '{}' holds {} numbers, expected 1 to {}", name, values.size(), longest));
      values.assign(1, 0);
    }
    return values;
  }

  void complain(std::string what) {
    if (!error_) error_ = Error{std::move(what)};
  }

  Result<double> answer(double value) const {
    if (error_) return *error_;
    return value;
  }

 private:
  const Parameters& parameters_;
  std::optional<Error> error_;
};

/// Sum over the lanes of a warp by a butterfly (offsets 16 to 1), rounded after each addition. Lanes without a value bring 0.
float butterfly_sum(std::vector<float> lanes) {
  lanes.resize(kWarpLanes, 0.0f);
  for (int offset = kWarpLanes / 2; offset > 0; offset /= 2) {
    const std::vector<float> before = lanes;
    for (int lane = 0; lane < kWarpLanes; ++lane) lanes[lane] = before[lane] + before[lane ^ offset];
  }
  return lanes[0];
}

/// mean = sum / N, then E[x^2] - mean * mean, which the assembler turns into one fused multiply-add.
Result<double> two_moment_variance(const Parameters& parameters) {
  Reader reader(parameters);
  std::vector<double> row;
  if (reader.has("row")) {
    row = reader.row("row", kWarpLanes);
  } else {
    const double first = reader.number("first");
    row = {first, first + 1};
  }
  if (reader.has("row") && reader.has("first")) reader.complain("parameters 'row' and 'first' exclude each other");
  const std::string fused = reader.has("fused") ? parameters.at("fused") : "true";
  if (fused != "true" && fused != "false") reader.complain(fmt::format("parameter 'fused' is '{}', expected true or false", fused));
  std::vector<float> values, squares;
  for (const double element : row) {
    values.push_back(static_cast<float>(element));
    const float square = values.back() * values.back();
    squares.push_back(square);
  }
  const float count = static_cast<float>(row.size());
  const float mean = butterfly_sum(values) / count;
  const float mean_square = butterfly_sum(squares) / count;
  const float product = mean * mean;
  return reader.answer(fused == "true" ? std::fma(-mean, mean, mean_square) : mean_square - product);
}

Result<double> softmax_value(const Parameters& parameters) {
  constexpr std::size_t kLongest = 1024;
  Reader reader(parameters);
  const std::vector<double> row = reader.row("row", kLongest);
  const auto index = static_cast<std::size_t>(reader.whole("index", 0, static_cast<std::int64_t>(row.size()) - 1));
  double largest = -std::numeric_limits<double>::infinity();
  for (const double x : row) largest = std::fmax(largest, x);
  // A wholly masked row is zeros by the contract of the operator.
  if (std::isinf(largest) && largest < 0) return reader.answer(0);
  double sum = 0;
  for (const double x : row) sum += std::exp(x - largest);
  return reader.answer(std::exp(row[index] - largest) / sum);
}

Result<double> sectors_per_request(const Parameters& parameters) {
  constexpr std::int64_t kFarthest = 1 << 20;
  Reader reader(parameters);
  const std::int64_t stride = reader.whole("stride", 0, kFarthest);
  const std::int64_t bytes = reader.whole("bytes", 1, 16, 4);
  const std::int64_t offset = reader.whole("offset", 0, kFarthest, 0);
  std::set<std::int64_t> sectors;
  for (std::int64_t lane = 0; lane < kWarpLanes; ++lane) {
    const std::int64_t first = (offset + lane * stride) * bytes;
    for (std::int64_t sector = first / kSectorBytes; sector <= (first + bytes - 1) / kSectorBytes; ++sector) sectors.insert(sector);
  }
  return reader.answer(static_cast<double>(sectors.size()));
}

/// Every addition of equal terms rounds; adding them one by one or as a tree overflows alike, since all are positive.
Result<double> expf_overflow_sum(const Parameters& parameters) {
  constexpr std::int64_t kMostColumns = 1 << 20;
  Reader reader(parameters);
  const std::int64_t columns = reader.whole("columns", 1, kMostColumns);
  const float shifted = static_cast<float>(reader.number("logit")) - static_cast<float>(reader.number("shift", 0));
  // The float nearest to the exact exponential; expf is within 2 ulp of it.
  const float term = static_cast<float>(std::exp(static_cast<double>(shifted)));
  float sum = 0;
  for (std::int64_t column = 0; column < columns; ++column) sum += term;
  return reader.answer(sum);
}

Result<double> warps_of_block(const Parameters& parameters) {
  constexpr std::int64_t kLargestBlock = 1024;
  Reader reader(parameters);
  return reader.answer(static_cast<double>((reader.whole("threads", 1, kLargestBlock) + kWarpLanes - 1) / kWarpLanes));
}

Result<double> bytes_moved(const Parameters& parameters) {
  constexpr std::int64_t kLongestSide = std::int64_t{1} << 31;
  Reader reader(parameters);
  const double rows = static_cast<double>(reader.whole("rows", 1, kLongestSide));
  const double cols = static_cast<double>(reader.whole("cols", 1, kLongestSide));
  const double bytes = static_cast<double>(reader.whole("bytes", 1, 16, 4));
  return reader.answer(rows * cols * bytes * reader.number("passes"));
}

/// "value" and "measured" take their number from elsewhere; predict() knows them.
Result<double> from_elsewhere(const Parameters&) { return 0.0; }

}  // namespace

const std::vector<Predictor>& predictors() {
  static const std::vector<Predictor> table{
      {"two-moment-variance", {{"row", false}, {"first", false}, {"fused", false}}, two_moment_variance},
      {"softmax-value", {{"row"}, {"index"}}, softmax_value},
      {"sectors-per-request", {{"stride"}, {"bytes", false}, {"offset", false}}, sectors_per_request},
      {"expf-overflow-sum", {{"columns"}, {"logit"}, {"shift", false}}, expf_overflow_sum},
      {"warps-of-block", {{"threads"}}, warps_of_block},
      {"bytes-moved", {{"rows"}, {"cols"}, {"passes"}, {"bytes", false}}, bytes_moved},
      {"measured", {{"name"}}, from_elsewhere},
  };
  return table;
}

const Predictor* find_predictor(std::string_view name) {
  static const Predictor by_value{std::string(kPredictByValue), {}, from_elsewhere};
  if (name == kPredictByValue) return &by_value;
  for (const Predictor& predictor : predictors())
    if (predictor.name == name) return &predictor;
  return nullptr;
}

}  // namespace warpbook::task
