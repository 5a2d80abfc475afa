#pragma once
// The copies that make the ceiling (copies.cu): which there are, and their code built for the GPU of this machine.
#include <cstdint>
#include <span>
#include <string_view>

#include "judge/base/error.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::gpu {

/// Numbers that copies.cu knows.
enum class CopyKind : std::int32_t { kNothing, kRuntime, kScalar, kVectors4, kVectors8, kStreaming, kBulk };

/// All but kNothing.
std::span<const CopyKind> copy_kinds();
/// "float4, 8 loads in flight"; for kNothing "an empty kernel".
std::string_view name_of(CopyKind kind);

/// copies.cu as it was when this program was built.
const char* copies_source();

/// The name of the function in the library that build_copies() makes: int(void* const* {from, to, bytes, which}).
inline constexpr const char* kCopyLaunch = "warpbook_copy";

/// Compiles the copies as a submission is compiled, with machine code for the GPU here.
Result<std::filesystem::path> build_copies(const toolchain::Toolkit& toolkit, const toolchain::CompileOptions& options);

}  // namespace warpbook::gpu
