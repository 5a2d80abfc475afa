#pragma once
// From rounds to the time of a launch.
//
// Asking a worker for a round and hearing of its end costs some ten microseconds, and so does the cold start of the first launch. It costs
// the same for N launches as for 2 N, so (time of 2 N - time of N) / N is the time of a launch. One such pair of rounds is a sample; the
// median of many is the time, the median distance from it the spread: a single disturbed round moves neither.
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbook::gpu {

/// A round of `launches` and one of twice as many, in seconds.
struct RoundPair {
  std::uint32_t launches = 0;
  double wall_once = 0, wall_twice = 0;      ///< by the judge's clock
  double device_once = 0, device_twice = 0;  ///< as the worker reported
};

/// Seconds a launch by the judge's clock, and as reported.
double wall_of(const RoundPair& pair);
double device_of(const RoundPair& pair);

/// Of values in any order; 0 of none.
double median(std::vector<double> values);

struct Timing {
  double seconds = 0;         ///< of one launch: the median of the pairs
  double spread = 0;          ///< the median distance from it, as a share of it
  double device_seconds = 0;  ///< the median of what was reported
};

/// Nothing when there are no pairs, or when a launch takes no time (then it was no launch).
std::optional<Timing> timing_of(const std::vector<RoundPair>& pairs);

/// How much longer `other` takes than `own`, taken pair by pair, for both were measured in turns: what slows the machine slows both.
/// 1: as long. Pairs beyond the shorter list are left out. Nothing without pairs.
std::optional<double> ratio_of(const std::vector<RoundPair>& other, const std::vector<RoundPair>& own);

/// How many launches make a round of `round_seconds` when one takes `launch_seconds`; from 1 to `most`.
std::uint32_t launches_for(double launch_seconds, double round_seconds, std::uint32_t most);

}  // namespace warpbook::gpu
