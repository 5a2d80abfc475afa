#pragma once
// Constants and constant expressions (manual section 4.5): integers are 64 bits wide, signed unless a U or their size says otherwise;
// floats are double, except `0f...`, which keeps its 32 bits exactly (NaN payloads too).
#include <cstdint>
#include <optional>

#include "judge/ptx/module.hpp"
#include "judge/ptx/tokens.hpp"

namespace warpbook::ptx {

struct Constant {
  enum class Kind : std::uint8_t { kInteger, kFloat32, kFloat64 };
  Kind kind = Kind::kInteger;
  std::uint64_t bits = 0;
  bool is_unsigned = false;

  std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
};

/// True when a constant expression can begin with the current token.
bool begins_constant(const Tokens& tokens);

/// Reads a constant expression with all operators of C.
std::optional<Constant> parse_constant(Tokens& tokens);

/// The bits that a constant has in a slot of `type`; nothing when it cannot stand there (a decimal float in an f16 slot).
std::optional<std::uint64_t> bits_in(const Constant& constant, Type type);

}  // namespace warpbook::ptx
