#pragma once
// Fat binaries: the container in which every object that nvcc wrote carries its device code.
//
// An object holds a small wrapper that points at a header; behind it follow entries, one per target: PTX text (which is what the virtual
// GPU runs) or machine code (which it cannot). Text is stored plain, as an LZ4 block or as a zstd frame, by nvcc's -compress-mode. The
// layout is not documented; it is written down in README.md with how it was found. Lengths are checked everywhere: the bytes come from
// a learner's object.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::cudart {

enum class EntryKind : std::uint8_t { kPtx, kMachineCode, kOther };
enum class Compression : std::uint8_t { kNone, kLz4, kZstd };

/// One target's code inside of a fat binary; views point into the bytes that were given.
struct FatEntry {
  EntryKind kind = EntryKind::kOther;
  int arch = 0;  ///< 80 for compute_80 or sm_80
  Compression compression = Compression::kNone;
  std::span<const std::byte> payload;   ///< without padding when it is compressed
  std::uint64_t uncompressed_size = 0;  ///< of compressed ones
  std::string_view source_name;         ///< "kernel.cu", empty when unknown
};

/// The bytes of the fat binary behind a wrapper (`__fatDeviceText`), by the size in its header. The wrapper is trusted to be one: it
/// comes from the program's own registration code. The error names a wrong magic or version.
Result<std::span<const std::byte>> fat_binary_of(const void* wrapper);

/// All entries in order; the error says at which byte the structure breaks.
Result<std::vector<FatEntry>> fat_entries(std::span<const std::byte> fat_binary);

/// The text of a PTX entry, decompressed, without the newlines and NULs it is padded with.
Result<std::string> ptx_text(const FatEntry& entry);

/// The PTX for the highest target that `arch` (80 for sm_80) can run. The error tells what the binary holds instead and how to build it
/// so that it has PTX.
Result<std::string> best_ptx(std::span<const std::byte> fat_binary, int arch);

}  // namespace warpbook::cudart
