#pragma once
// Modules on a device: their variables in device memory, their programs decoded when first asked for.
#include <map>
#include <memory>
#include <string>

#include "judge/vgpu/memory.hpp"
#include "judge/vgpu/program.hpp"

namespace warpbook::vgpu {

class LoadedModule {
 public:
  /// Gives every variable its memory. `number` sets the addresses of functions apart from those of other modules.
  static Result<std::unique_ptr<LoadedModule>> load(ImagePointer image, std::uint64_t number, Memory& memory);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  const Image& image() const { return *image_; }
  /// The decoded entry; null when the module has no entry of that name.
  Result<const Program*> program(std::string_view entry);
  Region* variable(std::string_view name) const;

 private:
  LoadedModule(ImagePointer image, Memory& memory) : image_(std::move(image)), memory_(memory) {}
  Status fill_variable(const ptx::Variable& variable, Region& region);

  ImagePointer image_;
  Memory& memory_;
  Symbols symbols_;
  std::map<std::string, std::unique_ptr<Program>, std::less<>> programs_;
};

}  // namespace warpbook::vgpu
