#pragma once
// Inside of judge/toolchain: the line table of PTX text (`.file`, `.loc`).
#include <string>
#include <string_view>

namespace warpbook::toolchain {

/// A place in a source file.
struct SourceLine {
  std::string file;
  int line = 0;
};

/// The text of a quoted PTX string: `\345\261\202` (octal), `\"` and `\\` undone.
std::string unescaped(std::string_view quoted);

/// `text` as nvcc writes it between quotes.
std::string escaped(std::string_view text);

/// PTX with `folder`/ taken off the front of every `.file` name.
std::string without_folder(std::string_view ptx, std::string_view folder);

/// Where the code at `ptx_line` (from 1) comes from: by the `.loc` before it in the same function, or by the first one after it when
/// it is a function's head. Code inlined from another file counts where it was inlined into `shown_name`. line 0: not known.
SourceLine source_of(std::string_view ptx, int ptx_line, std::string_view shown_name);

}  // namespace warpbook::toolchain
