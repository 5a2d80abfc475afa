#include "judge/device/codes.hpp"

#include <algorithm>
#include <array>

namespace warpbook::device {
namespace {

struct Row {
  std::int32_t number;
  std::string_view name, meaning;
};

constexpr std::array kRows = {
#define WARPBOOK_CODE(number, name, meaning) Row{number, #name, meaning},
#include "judge/device/codes.def"
#undef WARPBOOK_CODE
};

constexpr std::string_view kUnrecognised = "unrecognised error code";

const Row* find(Code code) {
  const auto number = static_cast<std::int32_t>(code);
  const auto* row = std::lower_bound(kRows.begin(), kRows.end(), number, [](const Row& r, std::int32_t n) { return r.number < n; });
  return row != kRows.end() && row->number == number ? row : nullptr;
}

}  // namespace

std::string_view name_of(Code code) {
  const Row* row = find(code);
  return row ? row->name : kUnrecognised;
}

std::string_view meaning_of(Code code) {
  const Row* row = find(code);
  return row ? row->meaning : kUnrecognised;
}

bool is_sticky(Code code) {
  switch (code) {
    case Code::kIllegalAddress:
    case Code::kLaunchTimeout:
    case Code::kAssert:
    case Code::kHardwareStackError:
    case Code::kIllegalInstruction:
    case Code::kMisalignedAddress:
    case Code::kInvalidAddressSpace:
    case Code::kInvalidPc:
    case Code::kLaunchFailure: return true;
    default: return false;
  }
}

const std::vector<Code>& all_codes() {
  static const std::vector<Code> codes = [] {
    std::vector<Code> list;
    for (const Row& row : kRows) list.push_back(static_cast<Code>(row.number));
    return list;
  }();
  return codes;
}

}  // namespace warpbook::device
