#pragma once
// "This file was written", inside of the server. In a class nobody but the server writes learners' files, so a stream that tells of changes
// needs no watch of the kernel's: inotify gives a user 128 instances, and five hundred open pages want one each.
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace warpbook::serve {

class FileSignals {
 public:
  /// How often files that share a slot with this one were written. A name has one slot; who is woken looks at the file itself.
  std::uint64_t count(const std::string& file) const;
  void announce(const std::string& file);
  /// Waits until the count is another than `seen` or the patience ends; the count.
  std::uint64_t wait(const std::string& file, std::uint64_t seen, std::chrono::milliseconds patience) const;

 private:
  struct Slot {
    mutable std::mutex mutex;
    mutable std::condition_variable news;
    std::uint64_t count = 0;
  };
  static constexpr std::size_t kSlots = 256;

  static std::size_t slot_of(const std::string& file) { return std::hash<std::string>{}(file) % kSlots; }

  std::array<Slot, kSlots> slots_;
};

}  // namespace warpbook::serve
