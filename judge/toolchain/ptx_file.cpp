#include "judge/base/files.hpp"
#include "judge/toolchain/halves.hpp"
#include "judge/toolchain/line_table.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::toolchain {

bool tidy_ptx(Steps& steps, Part& part) {
  constexpr std::uint64_t kLargestPtx = 256u << 20;  // a kernel with cub in it has 5 MB
  const auto fail = [&](const Error& error) {
    part.stop = Stop{StopReason::kFailed, "the PTX file", error.what};
    return false;
  };
  const std::filesystem::path path = steps.folder() / kUnitPtx;
  const Result<std::string> ptx = read_file(path, kLargestPtx);
  if (!ptx) return fail(ptx.error());
  const Status written = write_scratch(path, without_folder(*ptx, steps.folder().string()));
  return written ? true : fail(written.error());
}

}  // namespace warpbook::toolchain
