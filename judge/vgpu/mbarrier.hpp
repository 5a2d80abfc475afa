#pragma once
// The mbarrier objects of a block: what they count, and what is said when they are misused.
//
// An object is 64 bits of shared memory that a program may not look into. The counts are kept here, with a phase that never wraps, so that
// a wait for a phase long gone is known as such; the 64 bits hold a summary, written after each operation. When the summary is not what it
// was, somebody has written over the object. (Rejected: the counts in the 64 bits themselves, as on hardware. 20 + 20 + 21 bits of counts
// leave one for the phase, and any garbage would be a barrier.)
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/vgpu/region.hpp"

namespace warpbook::vgpu {

struct Mbarrier {
  Address at = 0;  ///< offset in shared memory
  std::uint64_t phase = 0;
  std::uint32_t expected = 0;     ///< arrivals of the next phase
  std::uint32_t pending = 0;      ///< arrivals that this phase still lacks
  std::int64_t transactions = 0;  ///< bytes announced by expect_tx and not yet completed

  /// The 64 bits in shared memory.
  std::uint64_t summary() const;
};

/// How an arrival differs from the plain one.
struct Arrival {
  std::uint32_t count = 1;
  std::uint32_t announced = 0;  ///< .expect_tx
  bool drops = false;           ///< arrive_drop
  bool must_not_complete = false;
};

/// Every operation answers nothing, or what is wrong: a sentence without a subject ("is not initialised").
class Mbarriers {
 public:
  using Complaint = std::optional<std::string>;

  void attach(std::byte* shared) { shared_ = shared; }
  void clear() { live_.clear(); }

  Complaint initialise(Address at, std::uint32_t count);
  Complaint invalidate(Address at);
  /// `state`: what the instruction returns, the phase and its pending count before the arrival.
  Complaint arrive(Address at, const Arrival& arrival, std::uint64_t& state);
  Complaint expect(Address at, std::uint32_t bytes);
  Complaint complete(Address at, std::uint32_t bytes);
  /// One more arrival is needed in this phase (cp.async.mbarrier.arrive without .noinc).
  Complaint add_pending(Address at);
  /// Whether the phase that `state` was taken in is complete.
  Complaint test(Address at, std::uint64_t state, bool& complete);
  /// Whether the phase of that parity is complete.
  Complaint test_parity(Address at, std::uint32_t parity, bool& complete);

  const std::vector<Mbarrier>& live() const { return live_; }

 private:
  Mbarrier* find(Address at);
  Mbarrier* find_intact(Address at, Complaint& complaint);
  void advance(Mbarrier& barrier);
  void write(const Mbarrier& barrier);

  std::byte* shared_ = nullptr;
  std::vector<Mbarrier> live_;
};

/// The pending count in a state that arrive returned.
std::uint32_t pending_of_state(std::uint64_t state);

}  // namespace warpbook::vgpu
