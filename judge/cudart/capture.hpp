#pragma once
// Streams that are captured: their work is written down instead of done. A capture begins on one stream and spreads to others that wait
// for its events; it ends on the first, where all others must have been waited for. Calls that would have to wait for captured work, or
// that CUDA calls unsafe meanwhile, are refused and spoil the capture, as on hardware: a program learns here what it would learn there.
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "judge/cudart/graph.hpp"
#include "judge/cudart/streams.hpp"

namespace warpbook::cudart {

struct Capture {
  std::uint64_t number = 0;  ///< from 1
  Stream* origin = nullptr;
  abi::CaptureMode mode = abi::kCaptureGlobal;
  std::thread::id thread{};
  bool invalid = false;
  std::unique_ptr<Graph> own;  ///< null: captured into a graph of the program
  Graph* graph = nullptr;
  std::map<Stream*, std::vector<GraphNode*>> tails;  ///< what the next piece of work of a stream waits for

  void append(Stream* stream, Work work);
};

/// Does `work` on a stream, or keeps it when the stream is captured.
device::Answer submit(Call& call, const void* stream, Work work);

/// Refuses, and spoils captures, when a call that waits for a stream or for everything is made while it is captured.
device::Answer check_wait(const void* stream);
/// The same for calls that are unsafe during a capture (allocation, waiting for the device), by the modes of captures and thread.
device::Answer check_unsafe();

device::Answer begin_capture(void* stream, int mode, Graph* into, std::vector<GraphNode*> dependencies);
/// On success `graph` is the program's.
device::Answer end_capture(void* stream, Graph*& graph);
device::Answer record_in(Stream* stream, Event& event);
/// True when the wait was captured; then nothing is left to do. The error: an event from outside.
device::Answer wait_in(Stream* stream, const Event& event);
/// A stream that goes away spoils its capture.
void leave_captures(Stream* stream);

/// The calling thread's mode; gives the one before.
abi::CaptureMode exchange_mode(abi::CaptureMode mode);

}  // namespace warpbook::cudart
