#pragma once
// A piece of work in a stream, as whoever keeps the order of streams (judge/cudart/stream_order) tells it to the virtual GPU.
#include <cstdint>
#include <string>
#include <vector>

namespace warpbook::vgpu {

struct StreamTask {
  std::size_t stream = 0;              ///< number of the stream
  std::uint64_t number = 0;            ///< of the work in its stream, from 1; 0: what follows is ordered with everything
  std::vector<std::uint64_t> knows;    ///< of each stream: so many of its pieces of work are over when this one begins
  std::vector<std::uint64_t> settled;  ///< the same for whatever is submitted from now on, to any stream
  std::string stream_name;             ///< "stream 2"
  std::string call;                    ///< "cudaMemcpyAsync"

  /// True when `earlier`, which was submitted before, is over before this begins.
  bool is_after(const StreamTask& earlier) const {
    return earlier.stream == stream || (earlier.stream < knows.size() && knows[earlier.stream] >= earlier.number);
  }
};

class VirtualGpu;
/// Says that what follows is done by `task`.
void begin_task(VirtualGpu& gpu, StreamTask task);

}  // namespace warpbook::vgpu
