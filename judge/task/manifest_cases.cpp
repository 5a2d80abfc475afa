#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judge/task/manifest_parts.hpp"

namespace warpbook::task {
namespace {

constexpr std::int64_t kLongestSide = (std::int64_t{1} << 31) - 1;

/// In the order of FailingCall.
const std::vector<std::string> kFailingCalls = {"none", "launch", "cudaMalloc", "cudaMemset", "cudaMemcpy", "cudaFuncSetAttribute"};
constexpr int kLatestFailure = 1000;

void read_failure(XmlReader& reader, const XmlElement& element, Case& result) {
  result.fail = static_cast<FailingCall>(reader.one_of(element, "fail", kFailingCalls, 0));
  result.fail_at = static_cast<int>(reader.integer(element, "fail-at", 1, kLatestFailure, 1));
  const bool fails = result.fail != FailingCall::kNone;
  if (element.attribute("fail-at") != nullptr && !fails) reader.fail(element, "fail-at", "fail-at belongs to fail, which says what fails");
  if (fails && result.kind == CaseKind::kNormal)
    reader.fail(element, "fail", "a call fails in a normal case, expected only in boundary cases");
}

/// <about xml:lang="zh"> beside the attribute, which is the English one.
void read_translations(XmlReader& reader, const XmlElement& element, Case& result) {
  for (const XmlElement* about : element.all("about")) {
    reader.shape(*about, {{"xml:lang"}, {}, {}, true});
    const std::string language = reader.string(*about, "xml:lang");
    if (language != "zh") reader.fail(*about, "xml:lang", fmt::format("unknown xml:lang '{}' of <about>, expected zh", language));
    if (!result.about_in.emplace(language, reader.own_text(*about)).second)
      reader.fail(*about, fmt::format("<about> is given twice in the language '{}'", language));
  }
}

Case read_case(const ManifestContext& context, const XmlElement& element) {
  XmlReader& reader = context.reader;
  reader.shape(element, {{"name", "rows", "cols", "about"},
                         {"gpu-rows", "gpu-cols", "check", "magnitude", "bound", "tag", "fail", "fail-at"},
                         {{"fill", Count::kAny}, {"layout", Count::kAny}, {"scalar", Count::kAny}, {"about", Count::kAny}}});
  Case result;
  result.name = reader.name(element, "name");
  result.kind = element.name == "normal" ? CaseKind::kNormal : CaseKind::kBoundary;
  result.about = reader.string(element, "about");
  read_translations(reader, element, result);
  // No rows is a boundary of its own: a framework may well pass an empty batch.
  result.rows = reader.integer(element, "rows", 0, kLongestSide, 1);
  result.cols = reader.integer(element, "cols", 1, kLongestSide, 1);
  result.gpu_rows = reader.integer(element, "gpu-rows", 1, kLongestSide, 0);
  result.gpu_cols = reader.integer(element, "gpu-cols", 1, kLongestSide, 0);
  if (std::max(result.rows, result.gpu_rows) > kMostElements / std::max(result.cols, result.gpu_cols))
    reader.fail(element, "rows", fmt::format("the matrix has more than {} elements", kMostElements));
  result.check = reader.one_of(element, "check", {"bound", "finite"}, 0) == 0 ? CheckKind::kBound : CheckKind::kFinite;
  const bool has_magnitude = element.attribute("magnitude") != nullptr;
  if (result.check == CheckKind::kFinite && !has_magnitude)
    reader.fail(element, "check", "check=\"finite\" lacks magnitude, the largest |value| allowed");
  if (result.check == CheckKind::kBound && has_magnitude) reader.fail(element, "magnitude", "magnitude belongs to check=\"finite\"");
  result.magnitude = reader.finite(element, "magnitude", 0);
  if (has_magnitude && result.magnitude <= 0) reader.fail(element, "magnitude", "magnitude is not above 0");
  if (result.check == CheckKind::kFinite && element.attribute("bound") != nullptr)
    reader.fail(element, "bound", "check=\"finite\" compares under no bound");
  result.bound = read_bound(context, element);
  result.tag = reader.phrase(element, "tag");
  // A boundary case stands for the boundary it is named after, unless it says otherwise.
  if (result.tag.empty() && result.kind == CaseKind::kBoundary) result.tag = result.name;
  read_failure(reader, element, result);
  read_case_data(context, element, result);
  return result;
}

}  // namespace

std::vector<Case> read_cases(const ManifestContext& context, const XmlElement& cases, Count least) {
  context.reader.shape(cases, {{}, {}, {{"normal", least}, {"boundary", least}}});
  std::vector<Case> result;
  std::set<std::string> names;
  for (const XmlElement& element : cases.children) {
    result.push_back(read_case(context, element));
    if (!names.insert(result.back().name).second)
      context.reader.fail(element, "name", fmt::format("a case named '{}' exists already, expected another name", result.back().name));
  }
  return result;
}

std::vector<PassLimit> read_passes(const ManifestContext& context, const XmlElement& efficiency) {
  XmlReader& reader = context.reader;
  reader.shape(efficiency, {{}, {}, {{"passes", Count::kSome}, {"blocks", Count::kAny}}});
  std::vector<PassLimit> limits;
  for (const XmlElement* element : efficiency.all("passes")) {
    reader.shape(*element, {{"tensor"}, {"read", "write"}});
    PassLimit limit;
    if (const auto* tensor = tensor_of(context, *element)) limit.tensor = tensor->name;
    limit.read = reader.finite(*element, "read", -1);
    limit.write = reader.finite(*element, "write", -1);
    for (const char* side : {"read", "write"}) {
      const bool given = element->attribute(side) != nullptr;
      if (given && (std::string_view(side) == "read" ? limit.read : limit.write) < 0)
        reader.fail(*element, side, "a number of passes is negative");
    }
    if (limit.read < 0 && limit.write < 0) reader.fail(*element, "<passes> limits nothing, expected read, write or both");
    for (const PassLimit& other : limits)
      if (other.tensor == limit.tensor) reader.fail(*element, "tensor", fmt::format("passes over '{}' are limited twice", limit.tensor));
    limits.push_back(limit);
  }
  return limits;
}

std::vector<BlockLimit> read_block_limits(const ManifestContext& context, const XmlElement& efficiency, const std::vector<Case>& cases) {
  constexpr std::int64_t kMostBlocks = 2147483647;
  XmlReader& reader = context.reader;
  std::vector<BlockLimit> limits;
  for (const XmlElement* element : efficiency.all("blocks")) {
    reader.shape(*element, {{"case"}, {"least", "most"}});
    BlockLimit limit{reader.string(*element, "case"), reader.integer(*element, "least", 1, kMostBlocks, 0),
                     reader.integer(*element, "most", 1, kMostBlocks, 0)};
    const bool exists = std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.name == limit.case_name; });
    if (!exists) reader.fail(*element, "case", fmt::format("there is no case named '{}'", limit.case_name));
    if (limit.least == 0 && limit.most == 0) reader.fail(*element, "<blocks> limits nothing, expected least, most or both");
    if (limit.most > 0 && limit.least > limit.most) reader.fail(*element, "least", "at least more than at most: no grid can be right");
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace warpbook::task
