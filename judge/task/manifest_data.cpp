// What stands in the tensors of a case and how they lie in memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/task/manifest_parts.hpp"
#include "judge/task/suggest.hpp"

namespace warpbook::task {
namespace {

using operators::Role;
using operators::Tensor;

/// A kind of fill or poke and the attributes that belong to it besides the common ones.
struct KindRule {
  std::string name;
  std::vector<std::string> required, optional;
};

const std::vector<KindRule> kFillKinds{
    {"constant", {"value"}, {}},       {"uniform", {"low", "high"}, {}}, {"normal", {}, {"mean", "sd"}},
    {"lognormal", {}, {"mean", "sd"}}, {"ramp", {"value", "step"}, {}},
};

const std::vector<KindRule> kPokePlaces{
    {"element", {"index"}, {}}, {"last", {}, {}},          {"every", {"period"}, {"index"}},
    {"lanes", {"lanes"}, {}},   {"prefix", {"count"}, {}}, {"suffix", {"count"}, {}},
};

/// Which rule the attribute `selector` chooses, once the element is known to have exactly what that rule asks for.
std::size_t choose_rule(XmlReader& reader, const XmlElement& element, const std::string& selector, const std::vector<KindRule>& rules,
                        Shape common) {
  std::vector<std::string> names;
  for (const KindRule& rule : rules) names.push_back(rule.name);
  const std::size_t chosen = reader.one_of(element, selector, names, 0);
  common.required.push_back(selector);
  if (element.attribute(selector) != nullptr) {
    common.required.insert(common.required.end(), rules[chosen].required.begin(), rules[chosen].required.end());
    common.optional.insert(common.optional.end(), rules[chosen].optional.begin(), rules[chosen].optional.end());
    // Say "does not belong to" rather than "unknown" when another kind has it.
    for (const KindRule& rule : rules) {
      for (const auto* list : {&rule.required, &rule.optional}) {
        for (const std::string& attribute : *list) {
          if (element.attribute(attribute) == nullptr) continue;
          const bool known = std::find(common.required.begin(), common.required.end(), attribute) != common.required.end() ||
                             std::find(common.optional.begin(), common.optional.end(), attribute) != common.optional.end();
          if (!known)
            reader.fail(
                element, attribute,
                fmt::format("'{}' does not belong to {}=\"{}\", it belongs to \"{}\"", attribute, selector, names[chosen], rule.name));
        }
      }
    }
  }
  reader.shape(element, common);
  return chosen;
}

float read_poke_value(XmlReader& reader, const XmlElement& element) {
  const double value = reader.number(element, "value", 0);
  if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max())
    reader.fail(element, "value", "value is beyond the largest float 3.4028235e38, write inf for infinity");
  return static_cast<float>(value);
}

inputs::Poke read_poke(XmlReader& reader, const XmlElement& element, std::int64_t rows, std::int64_t cols) {
  const std::size_t place = choose_rule(reader, element, "at", kPokePlaces, {{"value"}, {"row"}});
  inputs::Poke poke;
  poke.at = static_cast<inputs::PokeAt>(place);
  poke.row = reader.integer(element, "row", 0, rows - 1, -1);
  poke.index = reader.integer(element, "index", 0, cols - 1, 0);
  poke.count = reader.integer(element, "count", 1, cols, 0);
  poke.period = reader.integer(element, "period", 1, cols, 1);
  poke.lanes = static_cast<std::uint32_t>(reader.integer(element, "lanes", 1, std::numeric_limits<std::uint32_t>::max(), 0));
  poke.value = read_poke_value(reader, element);
  if (poke.at == inputs::PokeAt::kEvery && poke.index >= poke.period)
    reader.fail(element, "index", fmt::format("index {} is not below period {}, no column would be met", poke.index, poke.period));
  return poke;
}

inputs::Fill read_fill(XmlReader& reader, const XmlElement& element, std::int64_t rows, std::int64_t cols) {
  const std::size_t kind = choose_rule(reader, element, "kind", kFillKinds, {{"tensor"}, {"row-step"}, {{"poke", Count::kAny}}});
  inputs::Fill fill;
  fill.kind = static_cast<inputs::FillKind>(kind);
  fill.value = reader.number(element, "value", fill.value);
  fill.mean = reader.finite(element, "mean", fill.mean);
  fill.sd = reader.finite(element, "sd", fill.sd);
  fill.low = reader.finite(element, "low", fill.low);
  fill.high = reader.finite(element, "high", fill.high);
  fill.step = reader.finite(element, "step", fill.step);
  fill.row_step = reader.finite(element, "row-step", fill.row_step);
  if (fill.sd < 0) reader.fail(element, "sd", "sd is negative");
  if (fill.kind == inputs::FillKind::kUniform && fill.low >= fill.high)
    reader.fail(element, "low", fmt::format("low {} is not below high {}", fill.low, fill.high));
  for (const XmlElement* poke : element.all("poke")) fill.pokes.push_back(read_poke(reader, *poke, rows, cols));
  return fill;
}

/// The shape of a tensor in the case; on a GPU where `gpu` says so and the case has another shape there. 1 x 1 where it has none: that
/// was an error of check_extents().
operators::Extents extents_in(const ManifestContext& context, const Tensor& tensor, const Case& c, bool gpu) {
  const std::int64_t rows = gpu && c.gpu_rows > 0 ? c.gpu_rows : c.rows, cols = gpu && c.gpu_cols > 0 ? c.gpu_cols : c.cols;
  return operators::extents_of(context.op, tensor, rows, cols, c.scalars).value_or(operators::Extents{1, 1});
}

inputs::Layout read_layout(const ManifestContext& context, const XmlElement& element, const Tensor& tensor, const Case& into) {
  XmlReader& reader = context.reader;
  constexpr std::int64_t kLongest = std::int64_t{1} << 33;
  const std::int64_t cols = std::max(extents_in(context, tensor, into, false).cols, extents_in(context, tensor, into, true).cols);
  inputs::Layout layout;
  if (element.attribute("stride") != nullptr && tensor.shape != operators::Shape::kMatrix)
    reader.fail(element, "stride", fmt::format("'{}' is a vector, it has no row stride", tensor.name));
  layout.row_stride = reader.integer(element, "stride", cols, kLongest, 0);
  layout.base_offset = reader.integer(element, "offset", 0, kLongest, 0);
  layout.absent = reader.flag(element, "absent", false);
  if (layout.absent && !tensor.optional) reader.fail(element, "absent", fmt::format("'{}' may not be absent", tensor.name));
  if (layout.absent && element.attributes.size() > 2) reader.fail(element, "absent", "an absent tensor has no other layout");
  if (const XmlAttribute* alias = element.attribute("alias")) {
    const Tensor* other = tensor_of(context, element, "alias");
    layout.alias = alias->value;
    if (other == &tensor) reader.fail(element, "alias", fmt::format("'{}' cannot alias itself", tensor.name));
    if (other != nullptr && (!same_extents(*other, tensor) || other->type != tensor.type))
      reader.fail(element, "alias", fmt::format("'{}' and '{}' differ in shape or type", tensor.name, other->name));
    if (element.attributes.size() > 2) reader.fail(element, "alias", "an alias takes its layout from the tensor whose memory it shares");
  }
  return layout;
}

void read_fills(const ManifestContext& context, const XmlElement& element, Case& into) {
  for (const XmlElement* child : element.all("fill")) {
    const Tensor* tensor = tensor_of(context, *child);
    if (tensor == nullptr) return;
    if (tensor->role == Role::kOutput)
      context.reader.fail(*child, "tensor", fmt::format("'{}' is an output, the judge fills it with a NaN pattern", tensor->name));
    // Pokes must lie inside both shapes of the case.
    const operators::Extents here = extents_in(context, *tensor, into, false), gpu = extents_in(context, *tensor, into, true);
    const std::int64_t rows = std::min(here.rows, gpu.rows), cols = std::min(here.cols, gpu.cols);
    if (!into.fills.emplace(tensor->name, read_fill(context.reader, *child, rows, cols)).second)
      context.reader.fail(*child, "tensor", fmt::format("'{}' is filled twice", tensor->name));
  }
}

void read_layouts(const ManifestContext& context, const XmlElement& element, Case& into) {
  for (const XmlElement* child : element.all("layout")) {
    context.reader.shape(*child, {{"tensor"}, {"stride", "offset", "alias", "absent"}});
    const Tensor* tensor = tensor_of(context, *child);
    if (tensor == nullptr) return;
    if (child->attributes.size() == 1) context.reader.fail(*child, "<layout> says nothing, expected stride, offset, alias or absent");
    if (!into.layouts.emplace(tensor->name, read_layout(context, *child, *tensor, into)).second)
      context.reader.fail(*child, "tensor", fmt::format("'{}' is laid out twice", tensor->name));
  }
  for (const XmlElement* child : element.all("layout")) {
    const auto target = into.layouts.find(context.reader.string(*child, "alias"));
    if (target == into.layouts.end()) continue;
    if (target->second.absent || !target->second.alias.empty())
      context.reader.fail(*child, "alias", fmt::format("'{}' has no memory of its own to share", target->first));
  }
}

void read_scalars(const ManifestContext& context, const XmlElement& element, Case& into) {
  std::vector<std::string> known;
  for (const auto& scalar : context.op.scalars()) known.push_back(scalar.name);
  // These follow from the shape and the layouts of the case.
  const auto follows = [](const std::string& name) {
    constexpr std::string_view kStride = "_stride";
    return name == "rows" || name == "cols" || (name.size() > kStride.size() && name.ends_with(kStride));
  };
  known.erase(std::remove_if(known.begin(), known.end(), follows), known.end());
  for (const XmlElement* child : element.all("scalar")) {
    context.reader.shape(*child, {{"name", "value"}});
    const std::string name = context.reader.string(*child, "name");
    if (std::find(known.begin(), known.end(), name) == known.end())
      context.reader.fail(*child, "name", fmt::format("unknown scalar '{}', {}", name, expected_one_of(name, known)));
    double value = context.reader.number(*child, "value", 0);
    if (operators::counts_elements(context.op, name) && !(value >= 1 && std::floor(value) == value)) {
      context.reader.fail(*child, "value", fmt::format("'{}' counts elements, expected a whole number from 1", name));
      value = 1;
    }
    if (!into.scalars.emplace(name, value).second) context.reader.fail(*child, "name", fmt::format("scalar '{}' is given twice", name));
  }
}

/// What scalars count may be far larger than the rows x cols that read_case() has looked at.
void check_extents(const ManifestContext& context, const XmlElement& element, const Case& c) {
  for (const Tensor& tensor : context.op.tensors()) {
    if (tensor.row_count.empty() && tensor.col_count.empty()) continue;
    for (const bool gpu : {false, true}) {
      const operators::Extents e = extents_in(context, tensor, c, gpu);
      if (e.rows <= kMostElements / std::max<std::int64_t>(e.cols, 1)) continue;
      context.reader.fail(element, fmt::format("'{}' has more than {} elements", tensor.name, kMostElements));
      break;
    }
  }
}

}  // namespace

const Tensor* find_tensor(const operators::Operator& op, std::string_view name) {
  for (const Tensor& tensor : op.tensors())
    if (tensor.name == name) return &tensor;
  return nullptr;
}

const Tensor* tensor_of(const ManifestContext& context, const XmlElement& element, std::string_view attribute) {
  const XmlAttribute* named = element.attribute(attribute);
  if (named == nullptr) {
    context.reader.fail(element, fmt::format("<{}> lacks its attribute '{}'", element.name, attribute));
    return nullptr;
  }
  const Tensor* tensor = find_tensor(context.op, named->value);
  if (tensor != nullptr) return tensor;
  std::vector<std::string> names;
  for (const Tensor& known : context.op.tensors()) names.push_back(known.name);
  context.reader.fail(element, attribute, fmt::format("unknown tensor '{}', {}", named->value, expected_one_of(named->value, names)));
  return nullptr;
}

void read_case_data(const ManifestContext& context, const XmlElement& element, Case& into) {
  read_scalars(context, element, into);  // first: they decide shapes
  check_extents(context, element, into);
  read_fills(context, element, into);
  read_layouts(context, element, into);
}

}  // namespace warpbook::task
