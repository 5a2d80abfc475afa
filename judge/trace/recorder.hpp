#pragma once
// Writes down what one block does, step by step. The engine tells of a step before it runs, so what a step did is read when its lanes come
// to their next one: a shuffle whose partners arrive later is then complete too.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "judge/trace/recording.hpp"
#include "judge/vgpu/context.hpp"
#include "judge/vgpu/rows.hpp"
#include "judge/vgpu/watch/tracer.hpp"

namespace warpbook::trace {

/// What to record.
struct Order {
  std::uint64_t launch = 0;            ///< counts from 1; 0: the first launch of `kernel`
  std::string kernel;                  ///< demangled name, with launch 0
  std::vector<std::uint64_t> block{};  ///< its number, or x, y, z; empty: block 0
  std::uint64_t from = 0;              ///< warp steps of the block to let pass first
  std::uint64_t steps = 20'000;        ///< warp steps to keep
};

class Recorder final : public vgpu::Tracer {
 public:
  explicit Recorder(Order order) : order_(std::move(order)) {}

  /// Called at every launch (vgpu::FindTracer): this, when the launch is the one to record.
  vgpu::Tracer* at_launch(std::uint64_t number, const vgpu::LaunchContext& context);

  void step(const vgpu::Actor& actor, vgpu::LaneMask mask, vgpu::LaneMask active) override;
  void access(const vgpu::Actor& actor, const vgpu::Access& access, vgpu::LaneMask lanes) override;

  /// What was recorded. `complete`: the block ran to its end, so that every warp has exited.
  Recording finish(bool complete);

 private:
  /// Registers that a step writes and whose new values are not read yet.
  struct Pending {
    std::size_t event = 0;
    const vgpu::Frame* frame = nullptr;
    std::uint32_t row = 0;
    int bytes = 4;  ///< of a lane's value; 0: a predicate
    std::uint16_t reg = 0;
    vgpu::LaneMask lanes = 0;
  };
  /// Shared memory that a step writes.
  struct PendingWords {
    std::size_t event = 0;
    vgpu::Address address = 0;
    std::uint32_t bytes = 4;
    std::uint8_t lane = 0;
  };
  /// What is known of a function of the program.
  struct FunctionRows {
    std::vector<std::uint32_t> row;    ///< of each register
    std::vector<std::int32_t> number;  ///< of each register: index into Recording::registers, or -1
  };

  void lay_out_shared();
  bool wants(const vgpu::Block& block) const;
  void settle(const vgpu::Block& block, std::size_t warp, vgpu::LaneMask lanes);
  void note_states(const vgpu::Block& block);
  void begin_window(const vgpu::Actor& actor);
  void add_values(std::size_t event, const Pending& pending, vgpu::LaneMask lanes);
  void add_word(std::size_t event, vgpu::Address address, std::uint32_t value, std::uint8_t lane);
  void compare_shared(const vgpu::Block& block);
  std::uint16_t site_number(const vgpu::Actor& actor);
  std::uint16_t register_number(const vgpu::ProgramFunction& function, int function_index, std::int32_t reg);
  FunctionRows& rows_of(const vgpu::ProgramFunction& function, int function_index);
  int watch_number(const vgpu::ProgramFunction& function, const ptx::Watch& watch);

  Order order_;
  std::uint64_t block_ = 0;  ///< linear index of the block
  Recording out_;
  const vgpu::Program* program_ = nullptr;
  const vgpu::LaunchContext* context_ = nullptr;  ///< while the launch runs
  std::map<std::uint32_t, std::uint16_t> site_numbers_;
  std::map<int, FunctionRows> functions_;
  std::map<std::string, int> watch_numbers_;
  std::map<vgpu::Address, int> region_numbers_;
  std::vector<std::vector<Pending>> pending_;  ///< by warp
  std::vector<PendingWords> pending_words_;
  std::vector<vgpu::LaneMask> begun_;  ///< by warp: lanes met inside the window
  std::vector<std::uint16_t> states_;  ///< by warp: state and barrier last noted
  std::vector<std::byte> shared_;      ///< shared memory as last seen
  bool copies_arrive_ = false;         ///< the step before may have let a cp.async arrive
  bool window_over_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace warpbook::trace
