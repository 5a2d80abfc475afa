#pragma once
// One case, measured: sets of tensors, the workers of the submission, the reference and the copies in turns, and the outputs of timed
// launches checked.
#include <cstdint>
#include <filesystem>

#include "judge/gpu/measurement.hpp"
#include "judge/task/task.hpp"

namespace warpbook::gpu {

struct MeasureOptions {
  std::filesystem::path toolkit_root;  ///< where NVIDIA's runtime lies
  std::filesystem::path own;           ///< the library that is measured
  std::filesystem::path reference;     ///< and the one it is compared with; empty: it is the reference itself
  std::filesystem::path copies;        ///< build_copies()
  std::uint64_t seed = 0;              ///< of the first set of tensors
  double seconds = 4;                  ///< of launches in turns; what comes before and after is not counted
};

/// Opens the GPU in the calling process, which must not fork afterwards.
Measurement measure_case(const task::Task& task, const task::Case& c, const MeasureOptions& options);

/// The most that a measurement can take, for whoever waits for it.
double longest_measurement(double seconds);

}  // namespace warpbook::gpu
