#include "judge/vgpu/watch/race_watch.hpp"

namespace warpbook::vgpu {

RaceWatch::RaceWatch(LaunchContext& context) : context_(context) {}
RaceWatch::~RaceWatch() = default;
void RaceWatch::start_block(const Block&) {}
void RaceWatch::end_block(const Block&) {}
bool RaceWatch::global(const Actor&, const Access&, Region&, LaneMask) { return true; }
bool RaceWatch::shared(const Actor&, const Access&, LaneMask) { return true; }
void RaceWatch::block_barrier(const Block&, int, std::span<const LaneMask>) {}
void RaceWatch::warp_barrier(const Actor&, LaneMask) {}
void RaceWatch::fence(const Actor&, LaneMask, ptx::Scope) {}
void RaceWatch::release(const Actor&, int, ptx::Space, Address) {}
void RaceWatch::acquire(const Actor&, int, ptx::Space, Address) {}

}  // namespace warpbook::vgpu
