#pragma once
// What a name means inside a function. Braces open scopes and inner names hide outer ones; one map with a log of what each scope
// replaced makes every lookup O(1) however deep the nesting. A parameterised declaration `%r<58>` is one entry: the registers are
// made when they are met, so that `%r<4000000000>` costs nothing.
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

struct Symbol {
  enum class Kind : std::uint8_t { kRegister, kRange, kVectorRegister, kVariable, kParameter };
  Kind kind = Kind::kRegister;
  Type type = Type::kNone;
  std::int32_t index = -1;  ///< into Function::registers or variables; of a range: its number
  std::uint32_t count = 1;  ///< registers of a range, elements of a vector register
};

class Scopes {
 public:
  explicit Scopes(Function& function) : function_(function) {}

  void open() { starts_.push_back(log_.size()); }
  void close();
  std::size_t depth() const { return starts_.size(); }

  /// False when the innermost scope already has the name.
  bool declare(std::string_view name, Symbol symbol);
  /// `prefix<count>`.
  bool declare_range(std::string_view prefix, Type type, std::uint32_t count);
  /// A register named so, newly made.
  std::int32_t make_register(std::string_view name, Type type);

  /// The innermost meaning; a register of a range comes back as kRegister.
  std::optional<Symbol> find(std::string_view name);

 private:
  struct Entry {
    Symbol symbol;
    std::size_t depth = 0;
  };
  struct Change {
    std::string_view name;
    bool in_ranges = false;
    std::optional<Entry> before;
  };
  using Map = std::unordered_map<std::string_view, Entry>;

  bool put(Map& map, bool in_ranges, std::string_view name, const Symbol& symbol);

  Function& function_;
  Map names_, ranges_;
  std::vector<Change> log_;
  std::vector<std::size_t> starts_;
  std::int32_t next_range_ = 0;
  std::unordered_map<std::uint64_t, std::int32_t> made_;  // range number and position -> register
};

}  // namespace warpbook::ptx
