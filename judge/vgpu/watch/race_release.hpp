#pragma once
// What threads hand on to each other through memory: "whoever has seen my flag has everything that I did before my fence behind it".
//
// A thread releases what it knows to an address (fence, then a strong write; or a write that is itself a release) and whoever reads the
// address strongly acquires it. The log of an address only grows, so what somebody has acquired is two numbers, the address and how far its
// log had come, and acquiring costs the same after a thousand blocks as after one. Looking something up follows the log of each acquired
// address, and of those that the releasing threads had acquired before. (Rejected: copying what is known at each acquire. The last block of
// n would copy n entries, and all of them n * n / 2.)
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "judge/vgpu/watch/race_stamp.hpp"

namespace warpbook::vgpu {

/// What is known of a block: what all its threads did before `block_time`, and some of them before later times.
struct RaceKnown {
  struct Part {
    std::uint16_t first, count;  ///< threads
    RaceTime time;
  };
  RaceTime block_time = 0;
  std::vector<Part> parts;

  bool empty() const { return block_time == 0 && parts.empty(); }
  bool holds(std::uint32_t thread, RaceTime time) const;
  void merge(const RaceKnown& other);
  bool operator==(const RaceKnown& other) const;
};

/// The first `count` releases to an address.
struct RaceAcquired {
  std::uint32_t address, count;
  bool operator==(const RaceAcquired&) const = default;
};
using RaceAcquiredList = std::vector<RaceAcquired>;  ///< by address

/// Adds `from` to `into`.
void join(RaceAcquiredList& into, const RaceAcquiredList& from);

class RaceReleases {
 public:
  bool empty() const { return addresses_.empty(); }

  /// Block `block` releases `known` and what it has itself acquired. `within_block`: nobody in another block may rely on it.
  void release(std::uint64_t address, std::uint32_t block, bool within_block, const RaceKnown& known, const RaceAcquiredList& acquired);
  /// Adds what has been released to `address`.
  void acquire(std::uint64_t address, RaceAcquiredList& to) const;
  /// True when somebody in `reader` who has acquired `acquired` knows what `thread` of `block` did at `time`.
  bool cover(const RaceAcquiredList& acquired, std::uint32_t reader, std::uint32_t block, std::uint32_t thread, RaceTime time) const;
  /// True when `acquired` holds something of `address`.
  bool seen(const RaceAcquiredList& acquired, std::uint64_t address) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Release {
    std::uint32_t block;
    std::uint32_t previous;  ///< release of the same block to this address
    bool within_block;
    RaceKnown known;
  };
  /// From release `index` on, the log also holds `acquired`.
  struct Link {
    std::uint32_t index, block;
    bool within_block;
    RaceAcquired acquired;
  };
  struct Log {
    std::vector<Release> releases;
    std::vector<Link> links;
    std::unordered_map<std::uint32_t, std::uint32_t> last;    ///< of each block: its last release
    std::unordered_map<std::uint64_t, std::uint32_t> linked;  ///< address and scope -> the highest count that a link has
  };
  bool in_log(const Log& log, std::uint32_t count, std::uint32_t reader, std::uint32_t block, std::uint32_t thread, RaceTime time) const;

  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<Log> addresses_;
  std::size_t entries_ = 0;
};

}  // namespace warpbook::vgpu
