#include "judge/gpu/copies.hpp"

#include <fmt/format.h>

namespace warpbook::gpu {

std::span<const CopyKind> copy_kinds() {
  static constexpr CopyKind kAll[] = {CopyKind::kRuntime,  CopyKind::kScalar,    CopyKind::kVectors4,
                                      CopyKind::kVectors8, CopyKind::kStreaming, CopyKind::kBulk};
  return kAll;
}

std::string_view name_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::kNothing: return "an empty kernel";
    case CopyKind::kRuntime: return "cudaMemcpyAsync";
    case CopyKind::kScalar: return "one float a thread";
    case CopyKind::kVectors4: return "float4, 4 loads in flight";
    case CopyKind::kVectors8: return "float4, 8 loads in flight";
    case CopyKind::kStreaming: return "float4, 4 loads in flight, streaming";
    case CopyKind::kBulk: return "bulk copy engine";
  }
  return "";
}

Result<std::filesystem::path> build_copies(const toolchain::Toolkit& toolkit, const toolchain::CompileOptions& options) {
  toolchain::Source source;
  source.shown_name = "judge/gpu/copies.cu";
  source.text = copies_source();
  source.native = true;
  const toolchain::CompileOutcome outcome = toolchain::compile(toolkit, source, options);
  if (outcome.ok) return outcome.artifact.library;
  std::string why = outcome.failure.summary;
  if (!outcome.failure.diagnostics.empty()) why += "\n" + outcome.failure.diagnostics.front().text();
  return Error{fmt::format("the copies that make the ceiling do not compile: {}", why)};
}

}  // namespace warpbook::gpu
