#pragma once
// Races between pieces of work in different streams: kernels, copies and fills that touch the same bytes, one of them writing, while no
// event and no synchronisation orders them.
//
// Work is done here in the order in which it is called, so such a program comes out right; on a GPU it may not. Whoever knows the streams
// (the runtime library) says before each piece of work which earlier ones are over when it begins. What a launch touched is read from the
// watcher's shadow when the launch has ended: nothing is paid while a kernel runs, and nothing at all in a program with one stream.
//
// A piece of work is kept by region and page, as sets of bytes by source line, until everybody who comes later is ordered behind it or
// until another of the same stream has touched the same. Per region the last few are kept: of older ones a race can go unseen.
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "judge/device/device.hpp"
#include "judge/vgpu/region.hpp"
#include "judge/vgpu/stream_task.hpp"
#include "judge/vgpu/watch/race_shadow.hpp"

namespace warpbook::vgpu {

class RaceWatch;
struct Program;

class StreamWatch {
 public:
  explicit StreamWatch(std::vector<device::Fault>& faults) : faults_(faults) {}

  /// What follows is done by `task`.
  void begin(StreamTask task);
  bool active() const { return task_ != nullptr; }

  /// The launch that `races` has watched is over. `except`: a region that is not the program's, or null.
  void launched(const Program& program, const RaceWatch& races, const Region* except);
  /// A copy or a fill touches [from, from + bytes) of `region`.
  void touched(const Region& region, Address from, std::uint64_t bytes, bool writes);

  void forget(const Region* region) { known_.erase(region); }
  void forget_all() { known_.clear(); }

 private:
  using Bytes = std::bitset<kRacePageBytes>;  ///< of a page
  /// What instructions of one place did in a page.
  struct Touch {
    std::uint32_t who = 0;  ///< site and strength, as in a RaceActor; without the thread
    bool writes = false;
    std::uint32_t thread = 0;  ///< number in its block of one that did it
    std::uint64_t block = 0;   ///< its linear index
    Bytes bytes;
  };
  struct Work {
    StreamTask task;
    const Program* program = nullptr;  ///< null: a copy or fill
    device::Dim3 grid, block;
    std::string name;
  };
  /// What a piece of work did in a region: a launch by pages, a copy as ranges.
  struct Entry {
    std::shared_ptr<const Work> work;
    std::map<Address, std::vector<Touch>> pages;
    struct Range {
      Address from, to;
      bool writes;
    };
    std::vector<Range> ranges;
  };
  static Entry read_shadow(const Region& region, const RaceWatch& races, std::shared_ptr<const Work> work);
  void compare(const Region& region, const Entry& now);
  void compare_ranges(const Region& region, const Entry& before, Address page, const Touch& later, const Entry& now);
  void compare_touches(const Region& region, const Entry& before, const std::vector<Touch>& touches, Address page, const Touch& later,
                       const Entry& now);
  void keep(const Region& region, Entry now);
  void report(const Region& region, const Entry& earlier, const Touch* before, const Entry& later, const Touch* after, Address address,
              bool earlier_writes, bool later_writes);

  std::vector<device::Fault>& faults_;
  std::shared_ptr<const StreamTask> task_;
  std::unordered_map<const Region*, std::vector<Entry>> known_;
  std::set<std::tuple<std::string, std::uint32_t, std::string, std::uint32_t>> reported_;
};

}  // namespace warpbook::vgpu
