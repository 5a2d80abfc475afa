#include "judge/gpu/statement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbook::gpu {
namespace {

constexpr std::uint64_t kColderThanL2 = 4;

Statement refusal(StatementKind kind, std::string why) {
  Statement s;
  s.kind = kind;
  s.why = std::move(why);
  return s;
}

std::string in_microseconds(double seconds) { return fmt::format("{:.2f} us", seconds * 1e6); }

/// Why `timing` says nothing about `name`; empty: it does.
std::string why_unsteady(const std::string& name, const std::optional<Timing>& timing) {
  if (!timing) return fmt::format("2 N launches of {} took no longer than N of them", name);
  if (!(timing->spread <= kMostSpread))
    return fmt::format("the times of {} lie {:.1f} % around their median, more than {:.0f} %", name, timing->spread * 100,
                       kMostSpread * 100);
  return {};
}

/// CUDA's events and the judge's clock saw different things: something ran where the events do not look, or the process told a tale.
std::string why_clocks_differ(const std::string& name, const Timing& timing) {
  if (std::fabs(timing.device_seconds - timing.seconds) <= kMostDisagreement * timing.seconds) return {};
  return fmt::format("the judge's clock gives {} for a launch of {}, the worker's events {}: they should agree within {:.0f} %",
                     in_microseconds(timing.seconds), name, in_microseconds(timing.device_seconds), kMostDisagreement * 100);
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

struct BestCopy {
  std::string name;
  Timing timing;
};

std::optional<BestCopy> best_copy(const std::vector<Contestant>& copies) {
  std::optional<BestCopy> best;
  for (const Contestant& copy : copies) {
    const std::optional<Timing> timing = timing_of(copy.pairs);
    // One that cannot be relied on is no ceiling; one that can and is slower changes nothing.
    if (!timing || !why_unsteady(copy.name, timing).empty() || !why_clocks_differ(copy.name, *timing).empty()) continue;
    if (!best || timing->seconds < best->timing.seconds) best = BestCopy{copy.name, *timing};
  }
  return best;
}

}  // namespace

std::string_view name_of(StatementKind kind) {
  switch (kind) {
    case StatementKind::kMeasured: return "measured";
    case StatementKind::kNotMeasurable: return "not measurable here";
    case StatementKind::kNotAccepted: return "not accepted";
    case StatementKind::kWrong: return "wrong answer";
    case StatementKind::kFailed: return "judge error";
  }
  return "";
}

Statement state(const Measurement& m) {
  if (!m.failed.empty()) return refusal(StatementKind::kFailed, m.failed);
  if (!m.wrong.empty()) return refusal(StatementKind::kWrong, m.wrong);
  if (!m.not_finished.empty()) return refusal(StatementKind::kNotAccepted, m.not_finished);

  std::uint64_t reasons = 0;
  for (const ClockReading& reading : m.clocks) reasons |= reading.reasons;
  if ((reasons & kSlowedDown) != 0)
    return refusal(StatementKind::kNotMeasurable,
                   fmt::format("the GPU slowed itself down meanwhile: {}", list_of(words_of_reasons(reasons & kSlowedDown))));
  Statement s;
  s.own = timing_of(m.own.pairs);
  if (std::string why = why_unsteady(m.own.name, s.own); !why.empty()) return refusal(StatementKind::kNotMeasurable, std::move(why));
  if (std::string why = why_clocks_differ(m.own.name, *s.own); !why.empty()) return refusal(StatementKind::kNotMeasurable, std::move(why));
  const std::optional<BestCopy> ceiling = best_copy(m.copies);
  if (!ceiling) return refusal(StatementKind::kNotMeasurable, "no copy could be timed steadily, so that there is no ceiling");
  const std::optional<BestCopy> alone = best_copy(m.copies_alone);
  if (alone && ceiling->timing.seconds > (1 + kMostSlowdown) * alone->timing.seconds)
    return refusal(StatementKind::kNotMeasurable,
                   fmt::format("the best copy takes {} in turns with {} and took {} before that was started: something else uses the GPU",
                               in_microseconds(ceiling->timing.seconds), m.own.name, in_microseconds(alone->timing.seconds)));
  s.best_copy = ceiling->name;
  s.copy_seconds = ceiling->timing.seconds;

  const double share = ceiling->timing.seconds / s.own->seconds;
  const double uncertain = s.own->spread + ceiling->timing.spread;
  const bool fits = m.bytes <= m.l2_bytes;
  if (!fits && share > 1 + uncertain)
    return refusal(StatementKind::kNotAccepted,
                   fmt::format("a launch takes {} where the best copy of as many bytes takes {} ({}): {:.1f} % of what memory can move. "
                               "{} MB do not fit into the {} MB of the L2 cache, so part of the work was not done in the timed launches",
                               in_microseconds(s.own->seconds), in_microseconds(ceiling->timing.seconds), ceiling->name, share * 100,
                               m.bytes / 1'000'000, m.l2_bytes / 1'000'000));
  s.bytes_per_second = static_cast<double>(m.bytes) / s.own->seconds;
  const std::optional<Timing> nothing = timing_of(m.nothing.pairs);
  const bool a_launch = nothing && s.own->seconds < kNearALaunch * nothing->seconds;
  if (a_launch)
    s.remarks.push_back(fmt::format("this is the time of a launch: an empty kernel takes {}", in_microseconds(nothing->seconds)));
  if (fits)
    s.remarks.push_back(fmt::format("{:.1f} MB fit into the L2 cache ({} MB): times are compared, no share of the ceiling is stated",
                                    static_cast<double>(m.bytes) / 1e6, m.l2_bytes / 1'000'000));
  if (!fits && !a_launch) s.share = share;
  if (m.bytes * m.sets < kColderThanL2 * m.l2_bytes)
    s.remarks.push_back(
        fmt::format("{} sets of tensors are less than {} times the L2 cache: inputs may have been found there", m.sets, kColderThanL2));
  if (m.reference) {
    const std::optional<Timing> reference = timing_of(m.reference->pairs);
    std::string why = why_unsteady(m.reference->name, reference);
    if (why.empty()) why = why_clocks_differ(m.reference->name, *reference);
    if (!why.empty()) {
      s.remarks.push_back("not compared with the reference: " + why);
    } else {
      s.reference = reference->seconds;
      s.times_reference = ratio_of(m.reference->pairs, m.own.pairs);
    }
  }
  if (const auto words = words_of_reasons(reasons); !words.empty()) s.remarks.push_back("clocks were held by " + list_of(words));
  if (!m.no_clocks.empty()) s.remarks.push_back(fmt::format("clocks were not watched: {}", m.no_clocks));
  return s;
}

}  // namespace warpbook::gpu
