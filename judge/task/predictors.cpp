// The table of predictors. Each computes what the hardware does, not what mathematics says: rounding happens where the GPU
// rounds, which is why products and sums are spelled out as float variables here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "common/inputs/element.hpp"
#include "judge/base/text.hpp"
#include "judge/device/occupancy.hpp"
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

/// The mean first, then the squared distances: E[(x - mean)^2] in fp32, both sums by a butterfly. `slots` beyond the row stand for
/// padding that holds 0 and is not kept out: each of them adds mean * mean. The butterfly brings those in blocks of equal terms,
/// whose sum is rounded once here.
Result<double> two_pass_variance(const Parameters& parameters) {
  constexpr std::int64_t kMostSlots = 1 << 20;
  Reader reader(parameters);
  const std::vector<double> row = reader.row("row", kWarpLanes);
  const auto length = static_cast<std::int64_t>(row.size());
  const std::int64_t slots = reader.whole("slots", length, kMostSlots, static_cast<double>(length));
  std::vector<float> values, squares;
  for (const double element : row) values.push_back(static_cast<float>(element));
  const float count = static_cast<float>(length);
  const float mean = butterfly_sum(values) / count;
  for (const float value : values) {
    const float distance = value - mean;
    squares.push_back(distance * distance);
  }
  const float padding = static_cast<float>(slots - length) * (mean * mean);
  const float total = butterfly_sum(squares) + padding;
  return reader.answer(total / count);
}

/// Two parts of a row, each told as "count mean m2", merged by Chan's formula in fp32; `part` names which of the three is asked for. The
/// squared distance of the means has the weight n_a n_b / n (`reduced`), or what somebody may believe: n_b (`second`), or nothing (`none`).
Result<double> merged_moments(const Parameters& parameters) {
  Reader reader(parameters);
  const std::vector<double> a = reader.row("a", 3), b = reader.row("b", 3);
  if (a.size() != 3 || b.size() != 3) reader.complain("parameters 'a' and 'b' are each a count, a mean and a sum of squared distances");
  const std::string part = reader.has("part") ? parameters.at("part") : "m2";
  if (part != "mean" && part != "m2") reader.complain(fmt::format("parameter 'part' is '{}', expected mean or m2", part));
  const std::string weight = reader.has("weight") ? parameters.at("weight") : "reduced";
  if (weight != "reduced" && weight != "second" && weight != "none")
    reader.complain(fmt::format("parameter 'weight' is '{}', expected reduced, second or none", weight));
  if (const auto refused = reader.answer(0); !refused) return refused;
  const auto a_count = static_cast<float>(a[0]), b_count = static_cast<float>(b[0]);
  const float count = a_count + b_count;
  if (count <= 0) return reader.answer(0);
  const float delta = static_cast<float>(b[1]) - static_cast<float>(a[1]);
  const float share = b_count / count;
  const float mean = std::fma(delta, share, static_cast<float>(a[1]));
  const float square = delta * delta;
  const float of_distance = weight == "reduced" ? a_count * share : weight == "second" ? b_count : 0.0f;
  const float m2 = std::fma(square, of_distance, static_cast<float>(a[2]) + static_cast<float>(b[2]));
  return reader.answer(part == "mean" ? mean : m2);
}

/// Load requests of a block that reads an aligned row as vectors of four floats and a tail of single floats, thread t starting with
/// vector t and with column t of the tail.
Result<double> vector_requests(const Parameters& parameters) {
  constexpr std::int64_t kMostColumns = std::int64_t{1} << 31, kLargestBlock = 1024, kVector = 4;
  Reader reader(parameters);
  const std::int64_t cols = reader.whole("cols", 1, kMostColumns);
  const std::int64_t threads = reader.whole("threads", kWarpLanes, kLargestBlock);
  const auto requests = [threads](std::int64_t accesses) {
    const std::int64_t rest = accesses % threads;
    return accesses / threads * (threads / kWarpLanes) + (rest + kWarpLanes - 1) / kWarpLanes;
  };
  if (threads % kWarpLanes != 0) reader.complain(fmt::format("parameter 'threads' is {}, expected a multiple of {}", threads, kWarpLanes));
  return reader.answer(static_cast<double>(requests(cols / kVector) + requests(cols % kVector)));
}

/// Turns of a loop over rows that starts at each warp's number and steps by the number of warps: the most that any warp takes.
Result<double> row_turns(const Parameters& parameters) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
  Reader reader(parameters);
  const std::int64_t rows = reader.whole("rows", 0, kMost);
  const std::int64_t workers = reader.whole("blocks", 1, kMost) * reader.whole("rows-per-block", 1, kWarpLanes);
  return reader.answer(static_cast<double>((rows + workers - 1) / workers));
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

/// The sum of an online walk over a row: at each logit the sum so far is moved to the new maximum and the weight added, in one fused
/// multiply-add as nvcc writes it.
Result<double> online_softmax_sum(const Parameters& parameters) {
  constexpr std::size_t kLongest = 1024;
  Reader reader(parameters);
  float largest = -std::numeric_limits<float>::infinity();
  float sum = 0;
  for (const double element : reader.row("row", kLongest)) {
    const float logit = static_cast<float>(element);
    if (std::isinf(logit) && logit < 0) continue;  // masked
    const float larger = std::fmax(largest, logit);
    const float moved_by = std::exp(largest - larger);
    const float weight = std::exp(logit - larger);
    sum = std::fma(sum, moved_by, weight);
    largest = larger;
  }
  return reader.answer(sum);
}

/// One column of an attention row: keys in tiles, sum and output moved at each new maximum, the division at the end (lesson 21). What a
/// kernel does that moves only the `sum`, or `nothing`, and a `divided` of false, are what somebody may believe.
Result<double> attention_column(const Parameters& parameters) {
  Reader reader(parameters);
  const std::vector<double> scores = reader.row("scores", kWarpLanes), values = reader.row("values", kWarpLanes);
  if (scores.size() != values.size()) reader.complain("parameters 'scores' and 'values' hold a number for each key");
  const auto tile = static_cast<std::size_t>(reader.whole("tile", 1, kWarpLanes));
  const std::string moves = reader.has("moves") ? parameters.at("moves") : "both";
  if (moves != "both" && moves != "sum" && moves != "nothing")
    reader.complain(fmt::format("parameter 'moves' is '{}', expected both, sum or nothing", moves));
  const std::string divided = reader.has("divided") ? parameters.at("divided") : "true";
  if (divided != "true" && divided != "false") reader.complain(fmt::format("parameter 'divided' is '{}', expected true or false", divided));
  if (const auto refused = reader.answer(0); !refused) return refused;
  float largest = -std::numeric_limits<float>::infinity(), sum = 0, output = 0;
  for (std::size_t first = 0; first < scores.size(); first += tile) {
    const std::size_t last = std::min(first + tile, scores.size());
    float larger = largest;
    for (std::size_t j = first; j < last; ++j) larger = std::fmax(larger, static_cast<float>(scores[j]));
    if (std::isinf(larger) && larger < 0) continue;  // no key yet
    const float factor = std::exp(largest - larger);
    if (moves != "nothing") sum *= factor;
    if (moves == "both") output *= factor;
    for (std::size_t j = first; j < last; ++j) {
      const float weight = std::exp(static_cast<float>(scores[j]) - larger);
      sum += weight;
      output = std::fma(weight, static_cast<float>(values[j]), output);
    }
    largest = larger;
  }
  return reader.answer(divided == "false" || sum == 0 ? output : output / sum);
}

/// `round` down and another number of `lanes` are what somebody may believe.
Result<double> warps_of_block(const Parameters& parameters) {
  constexpr std::int64_t kLargestBlock = 1024;
  Reader reader(parameters);
  const std::int64_t threads = reader.whole("threads", 1, kLargestBlock);
  const std::int64_t lanes = reader.whole("lanes", 1, kWarpLanes, kWarpLanes);
  const std::string round = reader.has("round") ? parameters.at("round") : "up";
  if (round != "up" && round != "down") reader.complain(fmt::format("parameter 'round' is '{}', expected up or down", round));
  return reader.answer(static_cast<double>((threads + (round == "up" ? lanes - 1 : 0)) / lanes));
}

/// What a lane holds after so many steps of a butterfly (offsets 16, 8, 4, 2, 1) over a warp in which every lane brings its own number.
Result<double> butterfly_partial(const Parameters& parameters) {
  constexpr std::int64_t kAllSteps = 5;
  Reader reader(parameters);
  const std::int64_t lane = reader.whole("lane", 0, kWarpLanes - 1);
  const std::int64_t steps = reader.whole("steps", 0, kAllSteps);
  std::vector<float> held;
  for (int i = 0; i < kWarpLanes; ++i) held.push_back(static_cast<float>(i));
  std::int64_t offset = kWarpLanes / 2;
  for (std::int64_t step = 0; step < steps; ++step, offset /= 2) {
    const std::vector<float> before = held;
    for (std::size_t l = 0; l < held.size(); ++l) held[l] = before[l] + before[l ^ static_cast<std::size_t>(offset)];
  }
  return reader.answer(held[static_cast<std::size_t>(lane)]);
}

/// Softmax in fp32 of `columns` equal logits, when the other slots that hold the row contain `gap` and take part as if they were columns.
Result<double> softmax_with_gaps(const Parameters& parameters) {
  constexpr std::int64_t kMostSlots = 1024;
  Reader reader(parameters);
  const std::int64_t slots = reader.whole("slots", 1, kMostSlots);
  const std::int64_t columns = reader.whole("columns", 1, slots);
  const auto logit = static_cast<float>(reader.number("logit"));
  const auto gap = static_cast<float>(reader.number("gap", 0));
  const float largest = columns < slots ? std::fmax(logit, gap) : logit;
  const float weight = std::exp(logit - largest);
  const float gap_weight = std::exp(gap - largest);
  float total = 0;
  for (std::int64_t slot = 0; slot < slots; ++slot) total += slot < columns ? weight : gap_weight;
  return reader.answer(weight / total);
}

/// Blocks of a launch in which each row gets so many lanes and a block holds whole rows only.
Result<double> blocks_of_rows(const Parameters& parameters) {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 31;
  constexpr std::int64_t kLargestBlock = 1024;
  Reader reader(parameters);
  const std::int64_t rows = reader.whole("rows", 1, kMostRows);
  const std::int64_t threads = reader.whole("threads", 1, kLargestBlock);
  const std::int64_t lanes = reader.whole("lanes", 1, threads);
  const std::int64_t rows_a_block = threads / lanes;
  return reader.answer(static_cast<double>((rows + rows_a_block - 1) / rows_a_block));
}

/// What RMSNorm multiplies a row by: 1 / sqrt(mean(x^2) + eps), squares and sums rounded as a warp rounds them.
Result<double> rms_scale(const Parameters& parameters) {
  Reader reader(parameters);
  const std::vector<double> row = reader.row("row", kWarpLanes);
  const float eps = static_cast<float>(reader.number("eps"));
  std::vector<float> squares;
  for (const double element : row) squares.push_back(static_cast<float>(element) * static_cast<float>(element));
  const float mean_square = butterfly_sum(squares) / static_cast<float>(row.size());
  const float under_root = mean_square + eps;
  return reader.answer(static_cast<float>(1.0 / std::sqrt(static_cast<double>(under_root))));
}

/// A running sum of equal terms in a 16-bit type, rounded to it after each addition: it stops where a term is half a step or less.
Result<double> narrow_sum(const Parameters& parameters) {
  constexpr std::int64_t kMostTerms = 1 << 20;
  Reader reader(parameters);
  const std::string type = reader.has("type") ? std::string(trimmed(parameters.at("type"))) : "";
  if (type != "half" && type != "bfloat16") reader.complain(fmt::format("parameter 'type' is '{}', expected half or bfloat16", type));
  const inputs::DType element = type == "half" ? inputs::DType::kF16 : inputs::DType::kBF16;
  const auto rounded = [&](double value) { return inputs::decode(element, inputs::encode(element, value)); };
  const std::int64_t count = reader.whole("count", 1, kMostTerms);
  const double term = rounded(reader.number("value", 1));
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum = rounded(sum + term);
  return reader.answer(sum);
}

/// Blocks that a multiprocessor holds at the same time, as far as threads and shared memory decide; registers are left out. The figures of
/// the usual device unless others are given.
Result<double> resident_blocks(const Parameters& parameters) {
  constexpr std::int64_t kLargestBlock = 1024, kMostBytes = std::int64_t{1} << 20;
  constexpr int kFewRegisters = 1;
  Reader reader(parameters);
  device::Properties p;
  const std::int64_t threads = reader.whole("threads", 1, kLargestBlock);
  const std::int64_t bytes =
      reader.whole("floats", 0, kMostBytes) * static_cast<std::int64_t>(sizeof(float)) + reader.whole("static", 0, kMostBytes, 0);
  p.reserved_shared_per_block = static_cast<int>(reader.whole("reserved", 0, kMostBytes, p.reserved_shared_per_block));
  p.shared_per_multiprocessor = static_cast<int>(reader.whole("capacity", 0, kMostBytes, p.shared_per_multiprocessor));
  p.max_threads_per_multiprocessor = static_cast<int>(reader.whole("most-threads", 1, kMostBytes, p.max_threads_per_multiprocessor));
  return reader.answer(device::occupancy_of(static_cast<int>(threads), kFewRegisters, static_cast<std::uint64_t>(bytes), p).blocks);
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
      {"two-pass-variance", {{"row"}, {"slots", false}}, two_pass_variance},
      {"merged-moments", {{"a"}, {"b"}, {"part", false}, {"weight", false}}, merged_moments},
      {"vector-requests", {{"cols"}, {"threads"}}, vector_requests},
      {"row-turns", {{"rows"}, {"blocks"}, {"rows-per-block"}}, row_turns},
      {"softmax-value", {{"row"}, {"index"}}, softmax_value},
      {"sectors-per-request", {{"stride"}, {"bytes", false}, {"offset", false}}, sectors_per_request},
      {"expf-overflow-sum", {{"columns"}, {"logit"}, {"shift", false}}, expf_overflow_sum},
      {"online-softmax-sum", {{"row"}}, online_softmax_sum},
      {"attention-column", {{"scores"}, {"values"}, {"tile"}, {"moves", false}, {"divided", false}}, attention_column},
      {"warps-of-block", {{"threads"}, {"lanes", false}, {"round", false}}, warps_of_block},
      {"resident-blocks",
       {{"threads"}, {"floats"}, {"static", false}, {"reserved", false}, {"capacity", false}, {"most-threads", false}},
       resident_blocks},
      {"butterfly-partial", {{"lane"}, {"steps"}}, butterfly_partial},
      {"softmax-with-gaps", {{"slots"}, {"columns"}, {"logit"}, {"gap", false}}, softmax_with_gaps},
      {"blocks-of-rows", {{"rows"}, {"lanes"}, {"threads"}}, blocks_of_rows},
      {"rms-scale", {{"row"}, {"eps"}}, rms_scale},
      {"narrow-sum", {{"type"}, {"count"}, {"value", false}}, narrow_sum},
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
