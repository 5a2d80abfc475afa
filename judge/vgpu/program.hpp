#pragma once
// A kernel ready to run: the entry and every function it can reach, decoded into steps, with their register rows, shared memory and
// symbols laid out. Made once per module and entry, by program.cpp (which functions, which memory) and decode.cpp (which steps).
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "judge/vgpu/atomic.hpp"
#include "judge/vgpu/image.hpp"
#include "judge/vgpu/move.hpp"
#include "judge/vgpu/region.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::vgpu {

enum class MemoryAction : std::uint8_t { kLoad, kStore, kAtomic, kReduce, kCopyAsync };

/// Rows of the elements of an access that is too wide for a Step (wide_access.cpp).
struct WideRows {
  static constexpr std::size_t kMost = 8;
  bool used = false;
  std::uint32_t dst[kMost] = {kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister};
  std::uint32_t src[kMost] = {kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister, kNoRegister};
};

/// What a memory step does besides its operands. Its address is row src[0] (none: zero) plus the step's immediate.
struct MemoryPlan {
  MemoryAction action = MemoryAction::kLoad;
  ptx::Space space = ptx::Space::kGeneric;
  std::uint8_t element_bytes = 4;
  std::uint8_t vector = 1;          ///< elements per lane: ld into dst[0..], st from src[1..]
  std::uint8_t register_bytes = 4;  ///< width of the rows that hold the elements
  bool sign_extend = false;
  bool narrow_address = false;     ///< the address row is 32-bit
  bool returns = false;            ///< atomics: somebody wants the old value
  ptx::Order order = ptx::Order::kWeak;
  ptx::Scope scope = ptx::Scope::kNone;
  std::int64_t source_offset = 0;  ///< cp.async: added to row src[1], the address in global memory; src[2]: bytes to read, if given
  AtomicOperation atomic = nullptr;
  WideRows wide{};
  Mover mover = nullptr;                  ///< loads and stores: carries elements between memory and rows
  mutable Region* last_region = nullptr;  ///< where the step's last access to global memory ended
  mutable std::uint32_t last_shared = 0;  ///< the same for shared memory: index into the block's regions

  /// True when two conflicting accesses of this kind are not a race: atomics, volatile and the ordered ones (PTX manual, 8.4 "strong").
  bool is_strong() const { return atomic != nullptr || order != ptx::Order::kWeak; }

  std::uint32_t lane_bytes() const { return std::uint32_t{element_bytes} * vector; }
};

/// Where one argument or result lives: a register row, or bytes of the frame's local memory.
struct Slot {
  std::uint32_t row = kNoRegister;
  std::uint32_t displacement = 0;  ///< in the frame's local memory, when there is no row
  std::uint32_t bytes = 0;
};

/// Functions that the device provides.
enum class Intrinsic : std::uint8_t { kNone, kPrintf, kAssertFail, kMalloc, kFree, kMissing };

struct CallPlan {
  int callee = -1;  ///< index into Program::functions; -1: indirect, by the address in src[0], or intrinsic
  Intrinsic intrinsic = Intrinsic::kNone;
  std::vector<Slot> arguments, results;  ///< on the caller's side
};

/// A row that is written when a frame is made.
struct SpecialRow {
  ptx::SpecialRegister reg{};
  std::uint32_t row = 0;
  int bytes = 4;
};

/// A row that holds the frame's local base plus a displacement: the address of a local variable.
struct FrameRow {
  std::uint32_t row = 0;
  std::uint32_t displacement = 0;
  int bytes = 8;
};

/// A register that some path reads before anything has written it.
struct UnsetRegister {
  std::uint32_t row = 0;
  std::string name;
};

struct ProgramFunction {
  const ptx::Function* source = nullptr;
  Address code_address = 0;
  std::vector<Step> steps;
  std::vector<MemoryPlan> memory_plans;
  std::vector<CallPlan> call_plans;
  std::vector<std::vector<std::int32_t>> branch_tables;  ///< of brx.idx: steps
  std::vector<Slot> parameters, results;                 ///< on the callee's side; empty for entries
  std::uint32_t register_bytes = 0;                      ///< registers, from the start of the frame; zeroed when a frame is made
  std::vector<std::byte> constants;                      ///< rows behind the registers
  std::uint32_t frame_bytes = 0;
  std::vector<SpecialRow> special_rows;
  std::vector<FrameRow> frame_rows;
  std::vector<UnsetRegister> unset_registers;
  std::uint32_t local_bytes = 0;  ///< local variables, parameters, parameters of calls
  bool grows_stack = false;       ///< by alloca

  std::uint32_t first_site() const { return steps.front().site; }
};

struct Program {
  ImagePointer image;
  std::vector<ProgramFunction> functions;  ///< [0] is the entry
  std::map<Address, int> by_code_address;
  std::vector<Region> shared_regions;  ///< the static variables, then the dynamic part (bytes still 0)
  std::uint64_t static_shared = 0;     ///< bytes as the hardware lays them out
  Region* parameters = nullptr;        ///< the parameter block, filled at each launch
  std::uint32_t parameter_bytes = 0;
  std::uint32_t stack_bytes = 0;  ///< local memory of one lane along the deepest path of calls; recursion: the limit
  std::string kernel;             ///< demangled name
  std::vector<std::uint32_t> first_site;  ///< of each function
  std::uint32_t sites = 0;                ///< steps of all functions
  bool order_matters = false;             ///< some instruction is an atomic, a fence, or a volatile or ordered access

  const ptx::Function& entry() const { return *functions.front().source; }
  const ptx::Module& module() const { return image->module(); }
  /// The step that a site number stands for, and its function.
  const ProgramFunction& function_of_site(std::uint32_t site) const;
  const Step& step_of_site(std::uint32_t site) const;
};

/// Local memory that one lane may use when functions call themselves.
inline constexpr std::uint32_t kRecursionStackBytes = 128 * 1024;
/// Distance between shared variables: overruns of one do not reach the next. A multiple of the 128 bytes that 32 banks span, so that
/// bank conflicts stay what they are.
inline constexpr std::uint64_t kSharedGap = 4096;

/// Where the module's variables and functions lie on this device.
struct Symbols {
  std::map<std::string, Region*, std::less<>> variables;
  Address code_base = 0;  ///< function i of the module has code address code_base + i * kCodeStride
};
inline constexpr std::uint64_t kCodeStride = 256;

class Memory;

/// Decodes `entry` of the image. The error names what is wrong with the module (an unknown symbol).
Result<std::unique_ptr<Program>> make_program(ImagePointer image, int entry, const Symbols& symbols, Memory& memory);

}  // namespace warpbook::vgpu
