#pragma once
// What may be said of a measured case, and what may not. A figure that somebody could argue with is not given: then the statement says why.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/gpu/measurement.hpp"
#include "judge/gpu/timing.hpp"

namespace warpbook::gpu {

/// The limits behind every statement.
inline constexpr double kMostSpread = 0.05;        ///< of a timing; above it nothing is said
inline constexpr double kMostDisagreement = 0.05;  ///< between the judge's clock and the reported device time
inline constexpr double kMostSlowdown = 0.10;      ///< of the copies beside the submission, against before it was started
inline constexpr double kNearALaunch = 1.5;        ///< times an empty launch: below, a time is that of a launch and not of a kernel

enum class StatementKind : std::uint8_t {
  kMeasured,
  kNotMeasurable,  ///< the machine's fault, or what the submission does cannot be timed
  kNotAccepted,    ///< faster than the bytes can move, or not finished when it said so
  kWrong,          ///< a timed launch's output is wrong
  kFailed,         ///< the judge's own failure
};
std::string_view name_of(StatementKind kind);  ///< "measured", "not measurable here", "not accepted" ...

struct Statement {
  StatementKind kind = StatementKind::kMeasured;
  std::string why;                   ///< of every kind but kMeasured
  std::vector<std::string> remarks;  ///< what a reader of the figures should know
  // Only of kMeasured:
  std::optional<Timing> own;
  std::optional<double> bytes_per_second;
  std::string best_copy;                  ///< which of the copies was fastest
  std::optional<double> copy_seconds;     ///< and what it took
  std::optional<double> share;            ///< of the copy ceiling; nothing for what fits into the L2 cache or is the time of a launch
  std::optional<double> reference;        ///< seconds of the reference solution; nothing when it is what was measured
  std::optional<double> times_reference;  ///< how much longer the reference takes: 2: the submission is twice as fast
};

Statement state(const Measurement& measurement);

}  // namespace warpbook::gpu
