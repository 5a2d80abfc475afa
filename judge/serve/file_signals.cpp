#include "judge/serve/file_signals.hpp"

namespace warpbook::serve {

std::uint64_t FileSignals::count(const std::string& file) const {
  const Slot& slot = slots_[slot_of(file)];
  const std::lock_guard lock(slot.mutex);
  return slot.count;
}

void FileSignals::announce(const std::string& file) {
  Slot& slot = slots_[slot_of(file)];
  const std::lock_guard lock(slot.mutex);
  ++slot.count;
  slot.news.notify_all();
}

std::uint64_t FileSignals::wait(const std::string& file, std::uint64_t seen, std::chrono::milliseconds patience) const {
  const Slot& slot = slots_[slot_of(file)];
  std::unique_lock lock(slot.mutex);
  slot.news.wait_for(lock, patience, [&] { return slot.count != seen; });
  return slot.count;
}

}  // namespace warpbook::serve
