#pragma once
// The frame of a golden kernel: operands fetched, the instruction under test three times (all lanes, lanes branched away, lanes
// predicated off), results stored. Internal to this folder.
#include "judge/tests/ptx/golden/operands.hpp"
#include "judge/tests/ptx/golden/suite.hpp"

namespace warpbook::golden {

/// Lanes that are on in the last two warps.
inline constexpr std::uint32_t kSomeLanes = 0x3C6A96F1;

/// Stands for the kernel's name until it has one.
inline constexpr std::string_view kNamePlace = "@@";

/// A table of bytes in constant memory that every module has.
inline constexpr std::string_view kConstants = "constants";
inline constexpr std::size_t kConstantBytes = 3072;

/// A register and the bytes of it that count; predicates are stored as a byte.
struct Held {
  std::string reg;
  int bits = 32;
};

/// The kind of register that holds `bits`: %p1, %h10 ... `index` tells registers of all kinds apart.
Held held(int bits, int index);
/// The register for a value of `type`; 8-bit values get 32 bits, so that what stands above them is seen.
Held held(ptx::Type type, int index);
/// "{a, b}", or "a" alone.
std::string braced(const std::vector<std::string>& parts);

class Builder {
 public:
  Builder(std::string key, int threads);

  /// Appends a line to the kernel.
  Builder& line(std::string text);
  /// Fetches an operand per lane from `in`; values are chosen by type and slot.
  Held fetch(ptx::Type type, ptx::Type first, bool amount = false);
  /// Like fetch, with values given: one per thread.
  Held fetch(int bits, const std::vector<std::uint64_t>& values);
  /// Sets a register to 0xA5 bytes (a predicate to the parity of the thread) and lets it be stored at the end.
  Held result(ptx::Type type);
  Held result_of(int bits);
  /// The instruction under test in the three ways; `negated` stands in the warp with lanes branched away.
  void three_ways(const std::string& instruction, const std::string& negated = "");
  /// `bytes` of `out` per thread, at the start; returns a 64-bit register with this thread's address.
  std::string own_output(int bytes);

  /// A name that no other kernel of the module has.
  std::string unique(std::string_view stem);
  Builder& module(std::string text);
  int threads() const { return threads_; }
  Kernel finish();

 private:
  std::string key_, module_, lines_;
  int threads_, slots_ = 0, next_register_ = 10;
  std::size_t output_bytes_ = 0, lane_bytes_ = 0;
  std::vector<Held> results_;
  std::vector<std::uint8_t> input_;
};

}  // namespace warpbook::golden
