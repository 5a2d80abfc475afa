#pragma once
// The two ways in which nvcc packs PTX.
#include <cstddef>
#include <span>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::cudart {

/// Unpacks one raw LZ4 block (no frame) that holds exactly `size` bytes.
Result<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t size);

/// Unpacks zstd frames that hold exactly `size` bytes.
Result<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t size);

}  // namespace warpbook::cudart
