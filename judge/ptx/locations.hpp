#pragma once
// From `.loc` directives to source positions with their inlining chain (manual section 11.5.4). A `.loc` that says "inlined at file,
// line, column" continues the chain of the latest `.loc` with exactly that position; names of inlined functions are offsets into
// `.debug_str`, which comes last in the text, so they are filled in at the end.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "judge/ptx/module.hpp"

namespace warpbook::ptx {

struct LocDirective {
  std::int32_t file = 0, line = 0, column = 0;
  std::string function;  ///< label into .debug_str, with `+offset` when there is one; empty: none
  bool inlined = false;
  std::int32_t at_file = 0, at_line = 0, at_column = 0;
};

class Locations {
 public:
  /// Index of the location in `module.locations`; `current` again for line 0, which means "no line of its own".
  std::int32_t add(Module& module, const LocDirective& loc, std::int32_t current);

  void add_string_label(std::string_view label) { labels_[std::string(label)] = bytes_.size(); }
  void add_string_byte(std::uint8_t byte) { bytes_.push_back(static_cast<char>(byte)); }

  /// Replaces labels by the names they stand for; a label that nothing defines becomes empty.
  void fill_in_names(Module& module) const;

 private:
  using Position = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
  std::map<Position, std::int32_t> latest_;
  std::unordered_map<std::string, std::int32_t> known_;
  std::unordered_map<std::string, std::size_t> labels_;
  std::string bytes_;
};

}  // namespace warpbook::ptx
