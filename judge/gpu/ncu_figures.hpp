#pragma once
// Nsight Compute tells hundreds of figures. These are the eight that a learner of row kernels can act on, each with a sentence that says
// what the number means for this kernel.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::gpu {

/// The words of ncu's call, behind its name and before the program's.
std::vector<std::string> ncu_words();

/// A launch and its metrics in base units (seconds, bytes, percent, counts).
struct ProfiledLaunch {
  std::string kernel;
  std::map<std::string, double, std::less<>> metrics;
};

/// Reads what ncu printed with ncu_words(). The error tells what it said instead of figures.
Result<std::vector<ProfiledLaunch>> read_ncu(std::string_view printed);

struct ProfileFigure {
  std::string name;      ///< "bytes moved"
  std::string value;     ///< "1.02 times what must be moved"
  std::string sentence;  ///< what follows from it
};

/// The eight figures of a launch that must move `bytes`; those that ncu did not give are left out.
std::vector<ProfileFigure> figures_of(const ProfiledLaunch& launch, std::uint64_t bytes);

}  // namespace warpbook::gpu
