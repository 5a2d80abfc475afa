#pragma once
// The golden suite: one kernel for every variant of an instruction that the table (judge/ptx/opcodes.def) calls legal, made from the
// table, so that a new row has kernels at once. The same text runs on a GPU (run_on_gpu.cpp), which gives the expected bits, and on the
// virtual GPU (golden_test.cpp), which must give the same.
//
// Every kernel is `k(.param .u64 in, .param .u64 out, .param .align 32 .b8 blob[32])`, launched with one block. `in` holds the operands,
// `out` starts as 0xA5 bytes and is what is compared. Of its warps the last but one runs the instruction with lanes branched away,
// the last one with lanes predicated off, the others with all lanes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/ptx/forms.hpp"

namespace warpbook::golden {

/// A mnemonic with its modifiers, and what the table says of it.
struct Variant {
  std::string spelling;
  const ptx::Entry* entry = nullptr;
  ptx::Matched matched;
};

/// Every legal spelling of the table that is not refused, without repetitions. Words that may be repeated (cache hints) come one at a
/// time, on one form of each kind only.
std::vector<Variant> all_variants();

struct Kernel {
  std::string key;     ///< spelling, and what the kernel does with it where there is more than one: "ld.b32 #shared"
  std::string module;  ///< declarations outside of the kernel
  std::string body;    ///< between the braces
  std::string name;    ///< of the entry
  int threads = 96;
  std::vector<std::uint8_t> input;
  std::size_t output_bytes = 0;
  std::size_t lane_bytes = 0;   ///< bytes of one thread's result; 0: it has several
  std::size_t lane_counts = 0;  ///< how many of them are compared; 0: all
};

/// Whether a lane is off in the last two warps of a kernel.
bool is_off(std::size_t lane);

inline constexpr std::size_t kBlobBytes = 32;
inline constexpr std::uint8_t kUntouched = 0xA5;

/// What every kernel gets as its third parameter.
std::array<std::uint8_t, kBlobBytes> blob();

/// The kernels of a variant; none when its row is tested elsewhere (see walk_test.cpp).
std::vector<Kernel> kernels_of(const Variant& variant);
/// Kernels that belong to no single spelling: packing, special registers, generic addresses.
std::vector<Kernel> other_kernels();

/// Whether an instruction needs a newer device than the one that gave the results (sm_90): loads and stores of 256
/// bits, redux of floats.
bool is_beyond_sm_90(const Variant& variant);

/// All of it, in a fixed order, with names.
std::vector<Kernel> suite();

/// One module of PTX with these kernels.
std::string module_text(const std::vector<const Kernel*>& kernels);

}  // namespace warpbook::golden
