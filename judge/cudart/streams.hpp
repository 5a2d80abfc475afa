#pragma once
// Streams and events that exist. Everything runs in the order in which it is called, so a stream is a name and a few flags; but a handle
// that was destroyed, or never made, is told apart from one that lives, and a stream may be captured into a graph instead of running.
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::cudart {

struct Capture;
struct GraphNode;

inline constexpr unsigned kNonBlockingStream = 1;

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  Capture* capture = nullptr;  ///< while it is captured
};

struct Event {
  unsigned flags = 0;
  std::optional<std::chrono::steady_clock::time_point> recorded{};
  std::uint64_t capture = 0;             ///< number of the capture in which it was last recorded; 0: in none
  std::vector<GraphNode*> dependencies;  ///< what was captured before it
};

/// Success for a live stream and for the default ones (null, legacy, per-thread).
device::Answer check_stream(const void* stream);
/// The stream of a live handle or the calling thread's own (cudaStreamPerThread); null for the legacy default stream and for no stream.
Stream* find_stream(const void* stream);
/// The event of a live handle, else null.
Event* find_event(const void* event);
/// What is answered when find_event finds none.
device::Answer no_such_event();

}  // namespace warpbook::cudart
