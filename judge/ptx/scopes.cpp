#include "judge/ptx/scopes.hpp"

#include <charconv>
#include <string>

namespace warpbook::ptx {
namespace {

constexpr std::size_t kMostDigits = 10;  // of a register number in a range: 32 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Scopes::close() {
  for (std::size_t i = log_.size(); i > starts_.back(); --i) {
    const Change& change = log_[i - 1];
    Map& map = change.in_ranges ? ranges_ : names_;
    if (change.before) map[change.name] = *change.before;
    else map.erase(change.name);
  }
  log_.resize(starts_.back());
  starts_.pop_back();
}

bool Scopes::put(Map& map, bool in_ranges, std::string_view name, const Symbol& symbol) {
  auto found = map.find(name);
  Change change{name, in_ranges, std::nullopt};
  if (found != map.end()) {
    if (found->second.depth == depth()) return false;
    change.before = found->second;
  }
  map[name] = {symbol, depth()};
  log_.push_back(change);
  return true;
}

bool Scopes::declare(std::string_view name, Symbol symbol) { return put(names_, false, name, symbol); }

bool Scopes::declare_range(std::string_view prefix, Type type, std::uint32_t count) {
  return put(ranges_, true, prefix, {Symbol::Kind::kRange, type, next_range_++, count});
}

std::int32_t Scopes::make_register(std::string_view name, Type type) {
  function_.registers.push_back({std::string(name), type});
  return static_cast<std::int32_t>(function_.registers.size()) - 1;
}

std::optional<Symbol> Scopes::find(std::string_view name) {
  auto exact = names_.find(name);
  const Entry* best = exact == names_.end() ? nullptr : &exact->second;
  std::uint32_t position = 0;
  // `%f12` may be number 12 of `%f<...>` or number 2 of `%f1<...>`: every split is tried, the innermost declaration wins.
  for (std::size_t digits = 1; digits <= kMostDigits && digits < name.size() && is_digit(name[name.size() - digits]); ++digits) {
    std::string_view number = name.substr(name.size() - digits);
    if (digits > 1 && number.front() == '0') continue;
    auto range = ranges_.find(name.substr(0, name.size() - digits));
    if (range == ranges_.end() || (best != nullptr && best->depth >= range->second.depth)) continue;
    std::uint32_t value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc{} || value >= range->second.symbol.count)
      continue;
    best = &range->second;
    position = value;
  }
  if (best == nullptr) return std::nullopt;
  if (best->symbol.kind != Symbol::Kind::kRange) return best->symbol;
  std::uint64_t key = static_cast<std::uint64_t>(best->symbol.index) << 32 | position;
  Symbol symbol{Symbol::Kind::kRegister, best->symbol.type, -1, 1};
  auto [made, fresh] = made_.try_emplace(key, -1);
  if (fresh) made->second = make_register(name, symbol.type);
  symbol.index = made->second;
  return symbol;
}

}  // namespace warpbook::ptx
