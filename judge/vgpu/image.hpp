#pragma once
// A module as it is read once and shared: parsed, its products fused as the assembler fuses them, its branches told where their paths
// meet again. Nothing in it changes afterwards, so devices and forked processes look at one copy.
#include <string_view>
#include <vector>

#include "judge/ptx/flow.hpp"
#include "judge/ptx/module.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::vgpu {

class Image {
 public:
  explicit Image(ptx::Module module);

  const ptx::Module& module() const { return module_; }
  /// Control flow of module().functions[index].
  const ptx::Flow& flow(std::size_t index) const { return flows_[index]; }
  /// Index into module().functions of the definition (or, without one, the declaration) called `name`; -1: none.
  int function_index(std::string_view name) const;

 private:
  ptx::Module module_;
  std::vector<ptx::Flow> flows_;
};

}  // namespace warpbook::vgpu
