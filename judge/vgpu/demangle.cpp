#include "judge/vgpu/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "judge/device/symbol_names.hpp"

namespace warpbook::vgpu {

std::string demangle(std::string_view mangled) {
  const std::string name(mangled);
  if (!mangled.starts_with("_Z")) return name;  // __cxa_demangle also takes types: "x" would become "long long"
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return name;
  std::string readable = text.get();
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at = readable.find(kAnonymous); at != std::string::npos; at = readable.find(kAnonymous))
    readable.erase(at, kAnonymous.size());
  for (std::size_t at = 0; (at = readable.find(device::kMemberNamespace, at)) != std::string::npos;) {
    const std::size_t colons = readable.find("::", at);
    if (colons == std::string::npos) break;
    readable.erase(at, colons + 2 - at);
  }
  return readable;
}

std::string variable_name(std::string_view mangled) {
  const std::string readable = demangle(mangled);
  const std::size_t colons = readable.rfind("::");
  return colons == std::string::npos ? readable : readable.substr(colons + 2);
}

}  // namespace warpbook::vgpu
