#pragma once
// A file of tricks/ or controls/: what its header says it is and what it must get.
//   // verdict: WA, RTE         any of them
//   // reason: unwritten        any of them; with AC: none
//   // cases: heads             the cases it is run on
//   // trick: side-stream       one of trick_names(); a control says `control:` instead
//   // says: no kernel wrote y  part of what the judge says
//   // seeds: 1, 2              run once with each, in this order; the last run decides. Default: 1
//   // task: row-softmax        that is the default
//   // bench: not-accepted      with AC only: what `judge bench` makes of it on a GPU: accepted; not-accepted; no-gain: no less time than
//                              controls/plain.cu takes, or "not measurable here"
// Prose follows. That of a trick tells why the judge is `Not fooled: ...`.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::attacks {

/// What `bench` may say.
inline constexpr const char *kBenchAccepted = "accepted", *kBenchNotAccepted = "not-accepted", *kBenchNoGain = "no-gain";

/// Every trick that is known. Each must have a file.
const std::vector<std::string>& trick_names();

struct AttackFile {
  std::string name;  ///< "tricks/side-stream.cu"
  std::string text;
  std::string task = "row-softmax";
  std::vector<std::string> verdicts, reasons, cases;
  std::vector<std::string> seeds = {"1"};
  std::string trick, control;  ///< exactly one of them
  std::string says, bench;
};

/// The error names the file, its line and what would be right.
Result<AttackFile> read_attack(const std::string& name, const std::string& text);

/// The `.cu` files of tricks/ and controls/ under `folder`, in the order of their names.
Result<std::vector<AttackFile>> read_attacks(const std::filesystem::path& folder);

}  // namespace warpbook::attacks
