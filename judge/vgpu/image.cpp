#include "judge/vgpu/image.hpp"

#include <utility>

#include "judge/ptx/contract.hpp"
#include "judge/ptx/parser.hpp"

namespace warpbook::vgpu {

Image::Image(ptx::Module module) : module_(std::move(module)) {
  ptx::fuse_products(module_);
  flows_.reserve(module_.functions.size());
  for (const ptx::Function& function : module_.functions) flows_.push_back(ptx::analyze(function));
}

int Image::function_index(std::string_view name) const {
  int declaration = -1;
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    if (module_.functions[i].name != name) continue;
    if (!module_.functions[i].external) return static_cast<int>(i);
    declaration = static_cast<int>(i);
  }
  return declaration;
}

Result<ImagePointer> make_image(std::string_view ptx) {
  Result<ptx::Module> module = ptx::parse(ptx);
  if (!module) return module.error();
  return ImagePointer(std::make_shared<const Image>(std::move(module).value()));
}

std::vector<std::string> entry_names(const Image& image) {
  std::vector<std::string> names;
  for (const ptx::Function& function : image.module().functions) {
    if (function.entry) names.push_back(function.name);
  }
  return names;
}

}  // namespace warpbook::vgpu
