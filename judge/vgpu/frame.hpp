#pragma once
// An activation of a function: its register rows and its piece of local memory, for the lanes that called it together. Frames of one
// function are kept for the next call.
#include <cstddef>
#include <memory>
#include <vector>

#include "judge/vgpu/program.hpp"
#include "judge/vgpu/watch/taint.hpp"

namespace warpbook::vgpu {

struct Frame {
  const ProgramFunction* function = nullptr;
  int function_index = 0;
  std::byte* rows = nullptr;
  Frame* caller = nullptr;
  std::int32_t return_step = -1;  ///< in the caller's function
  std::int32_t call_join = -1;    ///< where the lanes of the call meet again
  const CallPlan* call = nullptr;
  LaneMask lanes = 0;  ///< that have not left it
  std::uint32_t local_base = 0;
  std::uint32_t grown = 0;  ///< bytes that alloca put on top of the function's own
  std::unique_ptr<Taint> taint;  ///< which registers hold undefined bytes (watch/taint.hpp)
  bool fresh = true;  ///< never used before: not even the special registers of the warp are written

  Registers registers() const { return Registers{rows}; }
  std::uint32_t local_end() const { return local_base + function->local_bytes + grown; }
};

class FramePool {
 public:
  explicit FramePool(const Program& program) : program_(program), idle_(program.functions.size()) {}

  /// A frame of program.functions[function]: registers zero, constants written, the rest up to the caller.
  Frame* take(int function);
  void give_back(Frame* frame);

 private:
  struct Storage {
    Frame frame;
    std::unique_ptr<std::byte[], void (*)(std::byte*)> rows{nullptr, nullptr};
  };
  const Program& program_;
  std::vector<std::unique_ptr<Storage>> all_;
  std::vector<std::vector<Frame*>> idle_;
};

}  // namespace warpbook::vgpu
