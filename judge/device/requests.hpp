#pragma once
// What a program and its device say to each other: one request per Device function, each answered with a code, a sentence and, on
// success, the function's results. Copies travel in pieces of kPiece bytes, each a request of its own, so neither end ever holds more
// than one piece of a large copy.
#include <cstdint>
#include <optional>

#include "judge/device/device.hpp"
#include "judge/device/wire.hpp"

namespace warpbook::device {

inline constexpr std::uint32_t kRequestMagic = 0x31514257;  // "WBQ1"
inline constexpr std::uint32_t kAnswerMagic = 0x31414257;   // "WBA1"

/// Most bytes of memory that one kRead or kWrite moves.
inline constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
/// Most bytes of names, parameters and numbers in a request.
inline constexpr std::uint64_t kSmallRequest = std::uint64_t{256} << 10;
/// Most bytes of an answer: one piece and its frame.
inline constexpr std::uint64_t kLargestAnswer = kPiece + (std::uint64_t{64} << 10);

enum class Operation : std::int32_t {
  kProperties = 1,
  kLoadModule,
  kUnloadModule,
  kFunctionInfo,
  kFindVariable,
  kAllocate,
  kFree,
  kFindAllocation,
  kMemoryInfo,
  kWrite,
  kRead,
  kCopy,
  kFill,
  kLaunch,
  kSynchronize,
  kTakeOutput,
  kAllowShared,
};

/// The largest payload of a request; nothing: no such operation. A module may have `module_bytes` of PTX.
std::optional<std::uint64_t> request_limit(std::int32_t operation, std::uint64_t module_bytes);

void put(Writer& writer, const Properties& properties);
void put(Writer& writer, const FunctionInfo& info);
void put(Writer& writer, const Launch& launch);
void get(Reader& reader, Properties& properties);
void get(Reader& reader, FunctionInfo& info);
void get(Reader& reader, Launch& launch);

}  // namespace warpbook::device
