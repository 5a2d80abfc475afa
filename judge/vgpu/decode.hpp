#pragma once
// Turns the instructions of one function into steps.
#include <map>
#include <optional>
#include <string_view>

#include "judge/vgpu/program.hpp"
#include "judge/vgpu/rows.hpp"

namespace warpbook::vgpu {

/// What a name stands for inside one function.
struct Place {
  ptx::Space space = ptx::Space::kGlobal;  ///< param of an entry; formal parameters of other functions are local
  bool in_frame = false;                   ///< `value` counts from the frame's local base
  std::uint64_t value = 0;
  std::uint64_t bytes = 0;
};

/// Answers what decoding must know about the rest of the program.
class Linker {
 public:
  virtual ~Linker() = default;
  virtual std::optional<Place> find(const ptx::Function& in, std::string_view name) const = 0;
  /// Index into Program::functions; -1: not one of them.
  virtual int program_function(std::string_view name) const = 0;
};

/// Fills steps, plans and rows of `function` (its `source` is set). `reconvergence[i]`: the instruction where the paths of branch i meet.
Status decode(ProgramFunction& function, const ptx::Flow& flow, const Linker& linker);

}  // namespace warpbook::vgpu
