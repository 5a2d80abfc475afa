#pragma once
// One piece of work for a stream: done at once, or kept in a graph and done when the graph is launched. Every call that takes a stream
// makes one of these, so that what can be captured and what can be run are the same thing.
#include <memory>
#include <variant>

#include "judge/cudart/abi.hpp"
#include "judge/cudart/call.hpp"

namespace warpbook::cudart {

class Graph;
struct Event;

struct KernelWork {
  device::Launch order;
  const void* function = nullptr;
};
/// One-, two- and three-dimensional copies.
struct CopyWork {
  abi::Copy3D copy{};
};
struct FillWork {
  abi::Fill2D fill{};
  std::size_t depth = 1, slice_bytes = 0;  ///< of three-dimensional ones: how many, how far apart
};
struct HostWork {
  void (*function)(void*) = nullptr;
  void* data = nullptr;
};
struct GraphWork {
  std::shared_ptr<Graph> graph;
};
struct EmptyWork {};
struct WaitWork {
  Event* event = nullptr;
};
struct RecordWork {
  Event* event = nullptr;
};
/// Memory of a graph: it lives as long as the graph does, so that its address is the same in every launch.
struct AllocateWork {
  device::Address address = 0;
  std::uint64_t bytes = 0;
};
struct FreeWork {
  device::Address address = 0;
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, GraphWork, EmptyWork, WaitWork, RecordWork, AllocateWork, FreeWork>;

/// cudaGraphNodeType.
abi::NodeType type_of(const Work& work);

/// Does it now. Host functions are called without the lock of `call`.
device::Answer run_work(Call& call, const Work& work);

/// A copy of `bytes` in a row.
CopyWork copy_of(void* to, const void* from, std::size_t bytes, int direction);
/// A copy of `height` rows of `width` bytes.
CopyWork copy_of(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                 int direction);

/// The launch that a configuration and arguments mean; the error is the launch's answer.
device::Answer make_kernel_work(Call& call, const abi::KernelNode& node, bool cooperative, KernelWork& work);

}  // namespace warpbook::cudart
