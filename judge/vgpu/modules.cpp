#include "judge/vgpu/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "judge/vgpu/demangle.hpp"

namespace warpbook::vgpu {

namespace {

constexpr Address kModuleCodeBytes = Address{1} << 24;

bool has_memory(const ptx::Variable& variable) {
  return !variable.external && (variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst);
}

}  // namespace

Result<std::unique_ptr<LoadedModule>> LoadedModule::load(ImagePointer image, std::uint64_t number, Memory& memory) {
  std::unique_ptr<LoadedModule> loaded(new LoadedModule(std::move(image), memory));
  loaded->symbols_.code_base = kCodeWindow + number * kModuleCodeBytes;
  for (const ptx::Variable& variable : loaded->image().module().variables) {
    if (!has_memory(variable)) continue;
    Region* region = variable.managed ? memory.allocate_shared(variable.bytes, demangle(variable.name))
                                      : memory.allocate(variable.bytes, 0, demangle(variable.name), variable.space);
    if (region == nullptr) return Error{fmt::format("no memory for the {} bytes of '{}'", variable.bytes, variable.name)};
    loaded->symbols_.variables[variable.name] = region;
  }
  for (const ptx::Variable& variable : loaded->image().module().variables) {
    if (!has_memory(variable)) continue;
    if (Status filled = loaded->fill_variable(variable, *loaded->symbols_.variables[variable.name]); !filled) return filled.error();
  }
  return loaded;
}

LoadedModule::~LoadedModule() {
  for (const auto& [name, region] : symbols_.variables) memory_.release(region->base);
  for (const auto& [name, program] : programs_) {
    if (program->parameters != nullptr) memory_.release(program->parameters->base);
  }
}

Status LoadedModule::fill_variable(const ptx::Variable& variable, Region& region) {
  std::memcpy(region.data, variable.initial.data(), std::min<std::uint64_t>(variable.initial.size(), region.bytes));
  for (const ptx::Variable::Relocation& relocation : variable.relocations) {
    Address address = 0;
    if (const auto known = symbols_.variables.find(relocation.symbol); known != symbols_.variables.end()) {
      address = known->second->base;
    } else if (const int function = image_->function_index(relocation.symbol); function >= 0) {
      address = symbols_.code_base + static_cast<Address>(function) * kCodeStride;
    } else {
      return Error{fmt::format("'{}' is initialised with the address of '{}', which is not defined", variable.name, relocation.symbol)};
    }
    address += static_cast<Address>(relocation.offset);
    if (relocation.at + sizeof address > region.bytes)
      return Error{fmt::format("an initial value of '{}' lies outside of it", variable.name)};
    std::memcpy(region.data + relocation.at, &address, sizeof address);
  }
  return Done{};
}

Result<const Program*> LoadedModule::program(std::string_view entry) {
  if (const auto known = programs_.find(entry); known != programs_.end()) return known->second.get();
  const int index = image_->function_index(entry);
  if (index < 0 || !image_->module().functions[static_cast<std::size_t>(index)].entry) return static_cast<const Program*>(nullptr);
  Result<std::unique_ptr<Program>> made = make_program(image_, index, symbols_, memory_);
  if (!made) return made.error();
  const Program* program = made->get();
  programs_.emplace(std::string(entry), std::move(made).value());
  return program;
}

Region* LoadedModule::variable(std::string_view name) const {
  const auto known = symbols_.variables.find(name);
  return known == symbols_.variables.end() ? nullptr : known->second;
}

}  // namespace warpbook::vgpu
