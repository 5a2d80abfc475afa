#include "judge/vgpu/waiters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/device/fault_text.hpp"
#include "judge/device/own_frame.hpp"
#include "judge/vgpu/lane_text.hpp"

namespace warpbook::vgpu {

namespace {

constexpr std::size_t kListedBlocks = 4;  ///< that are named one by one
constexpr std::string_view kExited = "exited";

bool same_place(const device::Waiter& a, const device::Waiter& b) {
  const device::Frame *one = device::own_frame(a.frames), *other = device::own_frame(b.frames);
  if (a.what != b.what || (one == nullptr) != (other == nullptr)) return false;
  return one == nullptr || (one->file == other->file && one->line == other->line);
}

/// "warp 3", "warps 0-2, 5"
std::string warps_text(const std::vector<int>& warps) {
  std::string out = warps.size() == 1 ? "warp " : "warps ";
  for (std::size_t i = 0; i < warps.size();) {
    std::size_t last = i;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    if (i > 0) out += ", ";
    out += last == i ? fmt::format("{}", warps[i]) : fmt::format("{}-{}", warps[i], warps[last]);
    i = last + 1;
  }
  return out;
}

std::string blocks_text(const std::vector<device::Dim3>& blocks) {
  if (blocks.size() == 1) return fmt::format("block {}", device::text_of(blocks.front()));
  if (blocks.size() > kListedBlocks)
    return fmt::format("{} blocks, {} to {}", blocks.size(), device::text_of(blocks.front()), device::text_of(blocks.back()));
  std::string out = "blocks ";
  for (std::size_t i = 0; i < blocks.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == blocks.size() ? " and " : ", ", device::text_of(blocks[i]));
  return out;
}

}  // namespace

void WaiterGroups::add(const device::Dim3& block, int warp, LaneMask lanes, device::Waiter waiter) {
  if (!(block == block_)) join_block();
  block_ = block;
  for (Group& group : own_) {
    if (group.lanes != lanes || !same_place(group.waiter, waiter)) continue;
    if (group.warps.back() != warp) group.warps.push_back(warp);
    return;
  }
  own_.push_back({std::move(waiter), lanes, {warp}, {block}});
}

void WaiterGroups::join_block() {
  for (Group& group : own_) {
    const auto known = std::find_if(all_.begin(), all_.end(), [&](const Group& other) {
      return other.lanes == group.lanes && other.warps == group.warps && same_place(other.waiter, group.waiter);
    });
    if (known == all_.end()) all_.push_back(std::move(group));
    else known->blocks.push_back(group.blocks.front());
  }
  own_.clear();
}

std::string WaiterGroups::threads_of(const Group& group) const {
  const std::string warps = fmt::format("{}, {}", warps_text(group.warps), lanes_text(group.lanes));
  return name_blocks_ ? fmt::format("{}, {}", blocks_text(group.blocks), warps) : warps;
}

std::vector<device::Waiter> WaiterGroups::take(std::size_t limit) {
  join_block();
  std::stable_partition(all_.begin(), all_.end(), [](const Group& group) { return group.waiter.what != kExited; });
  std::vector<device::Waiter> out;
  for (Group& group : all_) {
    if (out.size() == limit) {
      out.push_back({fmt::format("{} more places", all_.size() - limit), "others", {}});
      break;
    }
    group.waiter.threads = threads_of(group);
    out.push_back(std::move(group.waiter));
  }
  return out;
}

}  // namespace warpbook::vgpu
