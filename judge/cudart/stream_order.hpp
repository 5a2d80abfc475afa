#pragma once
// What orders work in streams: which earlier pieces of work are over, for sure, when the next one begins. Everything is done here in the
// order in which it is called; a GPU promises less, and the watcher of races between streams (judge/vgpu/stream_watch) is told how much
// less.
//
// A clock says of each stream how many of its pieces of work are over. A stream's clock grows by its own work and by the events it waits
// for; the host's by what it waits for, and every stream knows what the host knew when work was submitted. The legacy default stream knows
// all blocking streams, and they know it.
//
// Lenient where the runtime waits without promising it, or where a race would need luck: cudaFree waits for everything; copies and fills
// without a stream of their own, and copies to pageable memory, are over when the call returns; all threads of the host are one; the nodes
// of a graph are ordered as they were captured.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "judge/vgpu/stream_task.hpp"

namespace warpbook::cudart {

class StreamOrder {
 public:
  using Clock = std::vector<std::uint64_t>;
  /// Of the runtime. Streams and events are told by their address; a null stream is the legacy default one.
  static StreamOrder& get();

  void created(const void* stream, bool blocking);
  void destroyed(const void* stream);
  void event_destroyed(const void* event) { events_.erase(event); }

  /// Work is submitted to `stream`. With one stream there is nothing to tell: then the task has the number 0.
  vgpu::StreamTask begin(const void* stream, std::string call);
  void record(const void* event, const void* stream);
  void wait(const void* stream, const void* event);

  /// The host waits.
  void host_waits_for_stream(const void* stream);
  void host_waits_for_event(const void* event);
  void host_waits_for_all();

 private:
  struct Stream {
    bool blocking = true;
    std::uint64_t works = 0;
    Clock clock;
    std::string name;
  };
  std::size_t number_of(const void* stream);
  /// What work submitted to the stream now knows.
  Clock known_to(std::size_t stream) const;
  bool several() const;

  std::vector<Stream> streams_{{true, 0, {}, "the default stream"}};  ///< destroyed ones, too: their work may still run
  std::map<const void*, std::size_t> numbers_;
  std::map<const void*, Clock> events_;
  Clock host_;
  std::uint64_t made_ = 0;
};

}  // namespace warpbook::cudart
