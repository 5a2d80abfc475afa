#include "judge/tests/ptx/golden/suite.hpp"

#include <fmt/format.h>

#include "judge/ptx/opcode.hpp"
#include "judge/tests/ptx/golden/kernels.hpp"

namespace warpbook::golden {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::array<std::uint8_t, kBlobBytes> blob() {
  std::array<std::uint8_t, kBlobBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(0x80 + 7 * i);
  return bytes;
}

std::vector<Kernel> kernels_of(const Variant& variant) {
  using ptx::Opcode;
  switch (variant.entry->op) {
    case Opcode::kLd:
    case Opcode::kLdu:
    case Opcode::kSt: return memory_kernels(variant);
    case Opcode::kAtom:
    case Opcode::kRed: return atomic_kernels(variant);
    case Opcode::kCvta:
    case Opcode::kIsspacep: return order_kernels(variant);
    default: break;
  }
  const std::string_view family = ptx::family_of(variant.entry->op);
  if (family == "warp") return warp_kernels(variant);
  if (family == "barrier" || family == "memory" || family == "local") return order_kernels(variant);
  if (family == "control") {
    std::vector<Kernel> kernels = control_kernels(variant);
    return kernels.empty() ? order_kernels(variant) : kernels;
  }
  return {arithmetic_kernel(variant)};
}

bool is_off(std::size_t lane) { return (kSomeLanes >> lane & 1) == 0; }

bool is_beyond_sm_90(const Variant& variant) {
  const ptx::Opcode op = variant.entry->op;
  constexpr int kWidest = 128;
  if (op == ptx::Opcode::kRedux) return ptx::is_float(variant.matched.types.front());
  return (op == ptx::Opcode::kLd || op == ptx::Opcode::kSt) && variant.matched.mod.vector > 2 &&
         variant.matched.mod.vector * ptx::bits_of(variant.matched.types.front()) > kWidest;
}

std::vector<Kernel> suite() {
  std::vector<Kernel> all;
  for (const Variant& variant : all_variants()) {
    if (is_beyond_sm_90(variant)) continue;
    for (Kernel& kernel : kernels_of(variant)) all.push_back(std::move(kernel));
  }
  for (Kernel& kernel : other_kernels()) all.push_back(std::move(kernel));
  for (Kernel& kernel : wide_atomic_kernels()) all.push_back(std::move(kernel));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].name = fmt::format("k{}", i);
    replace_all(all[i].body, kNamePlace, all[i].name);
    replace_all(all[i].module, kNamePlace, all[i].name);
  }
  return all;
}

std::string module_text(const std::vector<const Kernel*>& kernels) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  text += fmt::format(".const .align 32 .b8 {}[{}] = {{", kConstants, kConstantBytes);
  for (std::size_t i = 0; i < kConstantBytes; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", mixed(i) & 0xFF);
  text += "};\n";
  for (const Kernel* kernel : kernels) {
    text += fmt::format("// {}\n{}.visible .entry {}(.param .u64 in, .param .u64 out, .param .align 32 .b8 blob[{}]) {{\n{}}}\n",
                        kernel->key, kernel->module, kernel->name, kBlobBytes, kernel->body);
  }
  return text;
}

}  // namespace warpbook::golden
