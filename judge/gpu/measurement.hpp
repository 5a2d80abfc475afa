#pragma once
// What was seen of one case, before anything is concluded from it. It is made in a process of its own (CUDA survives no fork) and comes
// back as JSON; the same JSON is the evidence in the report of `judge bench`.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/gpu/nvml.hpp"
#include "judge/gpu/timing.hpp"

namespace warpbook::gpu {

/// One that was timed: the submission, the reference, a copy, an empty kernel.
struct Contestant {
  std::string name;
  std::vector<RoundPair> pairs;
};

struct Measurement {
  std::string case_name;
  std::int64_t rows = 0, cols = 0;
  std::uint64_t bytes = 0;  ///< that a launch must move: each input read once, each output written once
  std::uint64_t l2_bytes = 0;
  std::uint32_t sets = 0;  ///< of tensors, through which the launches rotate
  Contestant own;
  std::optional<Contestant> reference;  ///< nothing when the reference is what was measured
  std::vector<Contestant> copies;
  std::vector<Contestant> copies_alone;  ///< the same, before the submission was started
  Contestant nothing;  ///< the empty kernel
  std::vector<ClockReading> clocks;
  std::string no_clocks;     ///< why there are none
  std::int64_t checked = 0;  ///< outputs of timed launches that were compared with the reference's values
  std::string wrong;         ///< the first of them that was wrong: "WA value: y[0][3] is ..."; empty: none
  std::string not_finished;  ///< evidence that the worker answered before its launches had ended
  std::string failed;        ///< what kept the judge from measuring
  double seconds = 0;        ///< that all of it took
};

nlohmann::json to_json(const Measurement& measurement);
Result<Measurement> measurement_from_text(const std::string& text);

}  // namespace warpbook::gpu
