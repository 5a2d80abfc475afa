#include "judge/grade/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "common/operators/operator.hpp"
#include "judge/grade/case_data.hpp"
#include "judge/grade/cut_case.hpp"

namespace warpbook::grade {
namespace {

using Clock = std::chrono::steady_clock;

/// Lengths at which row kernels change their behaviour: around lanes, warps, vectors and blocks.
constexpr std::int64_t kLengths[] = {1,  2,  3,  4,   5,   6,   7,   8,   9,   12,  15,  16,  17,   24,   31,   32,   33,   48,   63,
                                     64, 65, 96, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4096};

/// What a value may become, plainest first. `natural` is what changes nothing there: 1 for a scale, 0 otherwise.
std::vector<double> plainer(double value, double natural) {
  std::vector<double> out{natural, 1 - natural, -1};
  if (std::isfinite(value)) {
    out.push_back(std::round(value) + 0.0);
    const double unit = std::pow(10, std::floor(std::log10(std::max(std::fabs(value), 1e-30))));
    out.push_back(std::round(value / unit) * unit);
    out.push_back(std::round(10 * value / unit) / 10 * unit);
  }
  return out;
}

/// How plain a value is to read: the rank in plainer(), or behind all of it.
std::size_t rank(double value, double natural) {
  if (value == natural) return 0;
  if (value == 1 - natural) return 1;
  if (value == -1) return 2;
  if (!std::isfinite(value) || value == std::round(value)) return 3;
  return 4;
}

class Shrinker {
 public:
  Shrinker(const task::Task& task, const task::Case& c, const StillFails& question, const ShrinkOptions& options)
      : op_(*operators::find_operator(task.operator_name)),
        best_(c),
        ask_(question),
        options_(options),
        end_(Clock::now() + options.time_limit) {}

  task::Case run() {
    rows();
    columns();
    counts();
    plain_layouts();
    for (const std::string& tensor : tensors()) whole_tensor(tensor);
    columns();  // plain values often fail in shorter rows, and in short rows plainer values still fail
    counts();
    for (const std::string& tensor : tensors()) whole_tensor(tensor);
    for (const std::string& tensor : tensors()) parts_of_tensor(tensor);
    for (const std::string& tensor : tensors()) constant_when_equal(tensor);
    return best_;
  }

 private:
  bool late() const { return Clock::now() >= end_; }

  /// Takes the first of `candidates` that still fails, in their order; true when there was one.
  bool take_first(const std::vector<task::Case>& candidates) {
    for (std::size_t at = 0; at < candidates.size() && !late(); at += options_.at_once) {
      const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(at + options_.at_once, candidates.size()));
      const std::vector<task::Case> batch(first, last);
      const std::vector<bool> fails = ask_(batch);
      for (std::size_t i = 0; i < batch.size() && i < fails.size(); ++i) {
        if (!fails[i]) continue;
        best_ = batch[i];
        return true;
      }
    }
    return false;
  }

  std::vector<std::string> tensors() const {
    std::vector<std::string> out;
    for (const operators::Tensor& t : op_.tensors())
      if (best_.fills.count(t.name) > 0) out.push_back(t.name);
    return out;
  }

  const operators::Tensor& spec(const std::string& name) const {
    return *std::find_if(op_.tensors().begin(), op_.tensors().end(), [&](const auto& t) { return t.name == name; });
  }

  void add_cut(std::vector<task::Case>& to, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) const {
    if (std::optional<task::Case> c = cut_case(op_, best_, row, rows, col, cols)) to.push_back(std::move(*c));
  }

  void rows() {
    if (best_.rows <= 1) return;
    const std::int64_t row = std::clamp<std::int64_t>(options_.row, 0, best_.rows - 1);
    std::vector<task::Case> candidates;
    add_cut(candidates, row, 1, 0, best_.cols);
    add_cut(candidates, 0, 1, 0, best_.cols);
    if (take_first(candidates)) return;
    // It takes several rows: the first few, the few up to the row, then half of what is there.
    for (std::int64_t count = 2; count < best_.rows && !late(); count = count < 4 ? count + 1 : count * 2) {
      candidates.clear();
      add_cut(candidates, 0, count, 0, best_.cols);
      add_cut(candidates, std::max<std::int64_t>(0, row - count + 1), count, 0, best_.cols);
      if (take_first(candidates)) return;
    }
  }

  /// Windows of `length` columns at the start, at the end and around the column where the failure showed.
  std::vector<task::Case> windows(std::int64_t length) const {
    const std::int64_t last = best_.cols - length;
    const std::int64_t around = std::clamp<std::int64_t>(options_.column - length / 2, 0, last);
    std::vector<task::Case> candidates;
    add_cut(candidates, 0, best_.rows, 0, length);
    add_cut(candidates, 0, best_.rows, last, length);
    if (around != 0 && around != last) add_cut(candidates, 0, best_.rows, around, length);
    return candidates;
  }

  void columns() {
    const std::int64_t longest = *std::rbegin(kLengths);
    if (best_.cols > longest && !take_first(windows(longest))) return capacity(longest);
    for (const std::int64_t length : kLengths) {
      if (length >= best_.cols || late()) return;
      if (take_first(windows(length))) return;
    }
  }

  /// What fails in long rows only is a capacity (shared memory, registers), and whatever is longer fails too: halve the distance.
  void capacity(std::int64_t fits) {
    while (best_.cols - fits > 1 && !late()) {
      const std::int64_t middle = fits + (best_.cols - fits) / 2;
      std::vector<task::Case> candidates;
      add_cut(candidates, 0, best_.rows, 0, middle);
      if (!take_first(candidates)) fits = middle;
    }
  }

  /// Scalars that count something (keys), upwards from one.
  void counts() {
    for (const operators::Scalar& scalar : op_.scalars()) {
      if (scalar.name == "rows" || scalar.name == "cols" || !operators::counts_elements(op_, scalar.name)) continue;
      const auto given = best_.scalars.find(scalar.name);
      const double now = given != best_.scalars.end() ? given->second : scalar.default_value;
      for (const std::int64_t length : kLengths) {
        if (static_cast<double>(length) >= now || late()) break;
        const std::optional<task::Case> c = cut_count(op_, best_, std::string(scalar.name), length);
        if (c && take_first({*c})) break;
      }
    }
  }

  void plain_layouts() {
    for (const auto& [name, layout] : std::map(best_.layouts)) {
      if (layout.absent || !layout.alias.empty()) continue;
      task::Case c = best_;
      c.layouts.erase(name);
      take_first({c});
    }
  }

  task::Case with_values(const std::string& tensor, std::vector<double> values) const {
    task::Case c = best_;
    c.fills[tensor].values = std::move(values);
    return c;
  }

  const std::vector<double>& values(const std::string& tensor) const { return best_.fills.at(tensor).values; }

  /// Scales are 1 and shifts 0; the operator's own default says which is which.
  double natural_of(const std::string& tensor) const {
    const inputs::Fill& usual = spec(tensor).default_fill;
    return usual.mean == 1 || usual.value == 1 ? 1 : 0;
  }

  /// All elements the same, or all rounded.
  void whole_tensor(const std::string& tensor) {
    const std::vector<double>& now = values(tensor);
    if (now.empty()) return;
    const double natural = natural_of(tensor);
    if (std::all_of(now.begin(), now.end(), [&](double v) { return v == natural; })) return;
    std::vector<task::Case> candidates;
    for (const double value : {natural, 1 - natural, -1.0})
      candidates.push_back(with_values(tensor, std::vector<double>(now.size(), value)));
    const double largest = *std::max_element(now.begin(), now.end());
    if (std::isfinite(largest)) candidates.push_back(with_values(tensor, std::vector<double>(now.size(), std::round(largest))));
    for (const double step : {1.0, 0.1}) {
      std::vector<double> rounded = now;
      for (double& v : rounded)
        if (std::isfinite(v)) v = std::round(v / step) * step + 0.0;  // + 0.0: never -0, which nobody would type
      candidates.push_back(with_values(tensor, std::move(rounded)));
    }
    take_first(candidates);
  }

  /// Chunks of elements made plainer, from halves down to single elements.
  void parts_of_tensor(const std::string& tensor) {
    const std::size_t count = values(tensor).size();
    const double natural = natural_of(tensor);
    for (std::size_t chunk = count / 2; chunk >= 1 && !late(); chunk /= 2) {
      for (std::size_t at = 0; at < count && !late(); at += chunk) {
        const std::size_t end = std::min(at + chunk, count);
        std::vector<task::Case> candidates;
        const double first = values(tensor)[at];
        for (const double value : plainer(first, natural)) {
          std::vector<double> changed = values(tensor);
          bool simpler = false;
          for (std::size_t i = at; i < end; ++i) {
            const std::size_t now = rank(value, natural), before = rank(changed[i], natural);
            simpler |= now < before || (now == before && std::fabs(value) < std::fabs(changed[i]));
            changed[i] = value;
          }
          if (simpler) candidates.push_back(with_values(tensor, std::move(changed)));
        }
        take_first(candidates);
      }
    }
  }

  /// A tensor of equal elements is written as one number, unless it is the one that gives the shape.
  void constant_when_equal(const std::string& tensor) {
    const std::vector<double>& now = values(tensor);
    const operators::Tensor& t = spec(tensor);
    // Written out, a matrix says how large the case is; 300 rows of one zero are better said as rows=300 cols=1.
    constexpr std::size_t kWrittenOut = 64;
    const bool gives_shape = t.shape == operators::Shape::kMatrix && t.row_count.empty() && t.col_count.empty();
    const bool written_out = gives_shape && (best_.rows == 1 || now.size() <= kWrittenOut);
    if (written_out || now.empty() || !std::all_of(now.begin(), now.end(), [&](double v) { return v == now.front(); })) return;
    inputs::Fill fill;
    fill.kind = inputs::FillKind::kConstant;
    fill.value = now.front();
    best_.fills[tensor] = fill;
  }

  const operators::Operator& op_;
  task::Case best_;
  const StillFails& ask_;
  const ShrinkOptions& options_;
  Clock::time_point end_;
};

}  // namespace

Result<task::Case> spell_out(const task::Task& task, const task::Case& c, std::uint64_t seed) {
  const Result<CaseData> data = prepare(task, c, {seed, false, 0});
  if (!data) return data.error();
  task::Case out = c;
  out.fills.clear();
  for (const auto& [name, values] : data->arguments.tensors) {
    inputs::Fill fill;
    fill.kind = inputs::FillKind::kValues;
    fill.values = values.data;
    out.fills[name] = std::move(fill);
  }
  return out;
}

task::Case shrink(const task::Task& task, const task::Case& spelled, const StillFails& still_fails, const ShrinkOptions& options) {
  return Shrinker(task, spelled, still_fails, options).run();
}

}  // namespace warpbook::grade
