#include "judge/vgpu/mbarrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpbook::vgpu {

namespace {

constexpr int kCountBits = 20;
constexpr std::uint64_t kMostArrivals = (std::uint64_t{1} << kCountBits) - 1;  // PTX manual, contents of the mbarrier object
constexpr std::uint64_t kSummaryMark = std::uint64_t{1} << 63;

// A state: a mark, the phase, the pending count.
constexpr int kPhaseBits = 36;
constexpr std::uint64_t kPhaseMask = (std::uint64_t{1} << kPhaseBits) - 1;
constexpr std::uint64_t kStateMark = 0xB5;
constexpr int kMarkShift = kCountBits + kPhaseBits;

std::uint64_t state_of(const Mbarrier& barrier) {
  return kStateMark << kMarkShift | (barrier.phase & kPhaseMask) << kCountBits | barrier.pending;
}

}  // namespace

std::uint64_t Mbarrier::summary() const {
  const auto bytes = static_cast<std::uint64_t>(transactions) & (kMostArrivals << 1 | 1);
  return kSummaryMark | (phase & 1) << 62 | bytes << 2 * kCountBits | std::uint64_t{expected} << kCountBits | pending;
}

std::uint32_t pending_of_state(std::uint64_t state) { return static_cast<std::uint32_t>(state & kMostArrivals); }

Mbarrier* Mbarriers::find(Address at) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const Mbarrier& barrier) { return barrier.at == at; });
  return found == live_.end() ? nullptr : &*found;
}

Mbarrier* Mbarriers::find_intact(Address at, Complaint& complaint) {
  Mbarrier* barrier = find(at);
  if (barrier == nullptr) {
    complaint = "is not initialised";
    return nullptr;
  }
  std::uint64_t held = 0;
  std::memcpy(&held, shared_ + at, sizeof held);
  if (held != barrier->summary()) {
    complaint = "has been written over by something that is no mbarrier operation";
    return nullptr;
  }
  return barrier;
}

void Mbarriers::write(const Mbarrier& barrier) {
  const std::uint64_t summary = barrier.summary();
  std::memcpy(shared_ + barrier.at, &summary, sizeof summary);
}

/// Ends the phase when nothing is missing any more.
void Mbarriers::advance(Mbarrier& barrier) {
  if (barrier.pending == 0 && barrier.transactions == 0) {
    ++barrier.phase;
    barrier.pending = barrier.expected;
  }
  write(barrier);
}

Mbarriers::Complaint Mbarriers::initialise(Address at, std::uint32_t count) {
  if (count == 0 || count > kMostArrivals)
    return fmt::format("cannot be initialised for {} arrivals: 1 to {} are possible", count, kMostArrivals);
  if (Mbarrier* old = find(at)) {
    std::uint64_t held = 0;
    std::memcpy(&held, shared_ + at, sizeof held);
    if (held == old->summary()) return "is initialised over a live one, which mbarrier.inval must end first";
    live_.erase(live_.begin() + (old - live_.data()));  // its memory has been put to another use since
  }
  live_.push_back({at, 0, count, count, 0});
  write(live_.back());
  return std::nullopt;
}

Mbarriers::Complaint Mbarriers::invalidate(Address at) {
  Complaint complaint;
  Mbarrier* barrier = find_intact(at, complaint);
  if (barrier != nullptr) live_.erase(live_.begin() + (barrier - live_.data()));
  return complaint;
}

Mbarriers::Complaint Mbarriers::arrive(Address at, const Arrival& arrival, std::uint64_t& state) {
  Complaint complaint;
  Mbarrier* barrier = find_intact(at, complaint);
  if (barrier == nullptr) return complaint;
  state = state_of(*barrier);
  if (arrival.count > barrier->pending) {
    return fmt::format("gets {} more {} in phase {}, which lacks only {} of {}", arrival.count, arrival.count == 1 ? "arrival" : "arrivals",
                       barrier->phase, barrier->pending, barrier->expected);
  }
  const bool last = arrival.count == barrier->pending && barrier->transactions + arrival.announced == 0;
  if (last && arrival.must_not_complete) {
    return fmt::format("completes phase {} by this arrival, which .noComplete rules out", barrier->phase);
  }
  barrier->transactions += arrival.announced;
  if (arrival.drops) barrier->expected -= std::min(arrival.count, barrier->expected);
  barrier->pending -= arrival.count;
  advance(*barrier);
  return std::nullopt;
}

Mbarriers::Complaint Mbarriers::expect(Address at, std::uint32_t bytes) {
  Complaint complaint;
  Mbarrier* barrier = find_intact(at, complaint);
  if (barrier == nullptr) return complaint;
  barrier->transactions += bytes;
  if (barrier->transactions > static_cast<std::int64_t>(kMostArrivals)) {
    return fmt::format("is to expect {} bytes, {} are possible", barrier->transactions, kMostArrivals);
  }
  write(*barrier);
  return std::nullopt;
}

Mbarriers::Complaint Mbarriers::complete(Address at, std::uint32_t bytes) {
  Complaint complaint;
  Mbarrier* barrier = find_intact(at, complaint);
  if (barrier == nullptr) return complaint;
  barrier->transactions -= bytes;
  advance(*barrier);
  return std::nullopt;
}

Mbarriers::Complaint Mbarriers::add_pending(Address at) {
  Complaint complaint;
  Mbarrier* barrier = find_intact(at, complaint);
  if (barrier == nullptr) return complaint;
  if (barrier->pending == kMostArrivals) return fmt::format("cannot wait for more than {} arrivals", kMostArrivals);
  ++barrier->pending;
  write(*barrier);
  return std::nullopt;
}

Mbarriers::Complaint Mbarriers::test(Address at, std::uint64_t state, bool& complete) {
  Complaint complaint;
  Mbarrier* barrier = find_intact(at, complaint);
  if (barrier == nullptr) return complaint;
  const std::uint64_t phase = state >> kCountBits & kPhaseMask, behind = (barrier->phase - phase) & kPhaseMask;
  if (state >> kMarkShift != kStateMark) return "is waited for with a state that no arrival returned";
  if (behind > 1) {
    return fmt::format("is in phase {} and is waited for with the state of phase {}: only the phase under way and the one before can be",
                       barrier->phase, phase);
  }
  complete = behind == 1;
  return std::nullopt;
}

Mbarriers::Complaint Mbarriers::test_parity(Address at, std::uint32_t parity, bool& complete) {
  Complaint complaint;
  Mbarrier* barrier = find_intact(at, complaint);
  if (barrier == nullptr) return complaint;
  if (parity > 1) return fmt::format("is waited for with parity {}: 0 and 1 are possible", parity);
  complete = (barrier->phase & 1) != parity;
  return std::nullopt;
}

}  // namespace warpbook::vgpu
