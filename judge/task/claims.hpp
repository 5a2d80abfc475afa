#pragma once
// "measured: 1.93 TB/s" in an answer is a claim, and a claim needs a run on record that shows it.
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::task {

/// A figure that a recorded run showed: name ("passes x read"), value, unit ("GB/s", "sectors", "us", "passes").
struct Measurement {
  std::string name;
  double value = 0;
  std::string unit;
};

/// A claim of an answer and what is known of it.
struct Claim {
  std::string text;  ///< as written: "measured: 1.93 TB/s"
  double value = 0;
  std::string unit;
  bool backed = false;   ///< a recorded measurement agrees
  std::string evidence;  ///< for the report: which record backs it, or which records in that unit there are
};

/// All claims of a text, in order. A claim agrees with a record within 1 % or half of its last written digit, whichever is wider;
/// units of one dimension (ms and us, GB/s and TB/s) are converted, a plural s is ignored.
std::vector<Claim> find_claims(std::string_view answer, const std::vector<Measurement>& recorded);

}  // namespace warpbook::task
