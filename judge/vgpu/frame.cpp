#include "judge/vgpu/frame.hpp"

#include <cstring>
#include <new>

namespace warpbook::vgpu {

namespace {

constexpr std::align_val_t kFrameAlignment{64};

void free_rows(std::byte* rows) { ::operator delete[](rows, kFrameAlignment); }

}  // namespace

Frame* FramePool::take(int function) {
  const auto index = static_cast<std::size_t>(function);
  const ProgramFunction& code = program_.functions[index];
  Frame* frame = nullptr;
  if (idle_[index].empty()) {
    auto storage = std::make_unique<Storage>();
    storage->rows = {static_cast<std::byte*>(::operator new[](code.frame_bytes, kFrameAlignment)), free_rows};
    frame = &storage->frame;
    frame->function = &code;
    frame->function_index = function;
    frame->rows = storage->rows.get();
    frame->taint = std::make_unique<Taint>();
    if (!code.constants.empty()) std::memcpy(frame->rows + code.register_bytes, code.constants.data(), code.constants.size());
    all_.push_back(std::move(storage));
  } else {
    frame = idle_[index].back();
    idle_[index].pop_back();
    frame->fresh = false;
  }
  std::memset(frame->rows, 0, code.register_bytes);
  if (frame->taint->any()) frame->taint->clear();
  frame->caller = nullptr;
  frame->grown = 0;
  frame->return_step = -1;
  frame->call_join = -1;
  frame->call = nullptr;
  return frame;
}

void FramePool::give_back(Frame* frame) { idle_[static_cast<std::size_t>(frame->function_index)].push_back(frame); }

}  // namespace warpbook::vgpu
