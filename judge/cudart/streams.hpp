#pragma once
// Streams and events that exist. Everything runs in the order in which it is called, so a stream is a name and a few flags; but a handle
// that was destroyed, or never made, is told apart from one that lives.
#include <chrono>
#include <cstdint>
#include <optional>

#include "judge/device/device.hpp"

namespace warpbook::cudart {

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
};

struct Event {
  unsigned flags = 0;
  std::optional<std::chrono::steady_clock::time_point> recorded{};
};

/// Success for a live stream and for the default ones (null, legacy, per-thread).
device::Answer check_stream(const void* stream);
/// The event of a live handle, else null.
Event* find_event(const void* event);
/// What is answered when find_event finds none.
device::Answer no_such_event();

}  // namespace warpbook::cudart
