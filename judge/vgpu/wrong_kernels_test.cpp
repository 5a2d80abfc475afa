// The deliberately wrong kernels of the calibration (judge/tests/calibration/calib.cu), on which a bare GPU is silent but for two and
// compute-sanitizer is for some: each must be reported, by its kind, at its line. README.md shows both side by side.
#include <algorithm>

#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

using device::FaultKind;
using device::Severity;

struct Wrong {
  const char* kernel;
  unsigned grid, block;
  std::uint64_t shared;
  FaultKind kind;
  Severity severity;
  int line, other_line;  ///< of the finding, and of the access it is about (0: none)
};

// The launches are those of the calibration's own main().
constexpr Wrong kWrong[] = {
    {"b_oob", 1, 64, 0, FaultKind::kOutOfBounds, Severity::kError, 53, 0},
    {"b_mis", 1, 1, 0, FaultKind::kMisaligned, Severity::kError, 56, 0},
    {"b_soob", 1, 64, 256, FaultKind::kOutOfBounds, Severity::kError, 60, 0},
    {"b_race", 1, 64, 0, FaultKind::kRace, Severity::kError, 65, 66},
    {"b_racew", 1, 64, 0, FaultKind::kRace, Severity::kError, 70, 70},
    {"b_racewarp", 1, 32, 0, FaultKind::kRace, Severity::kWarning, 77, 76},
    {"b_uninit", 1, 64, 0, FaultKind::kUninitialised, Severity::kError, 80, 80},
    {"b_suninit", 1, 64, 0, FaultKind::kUninitialised, Severity::kError, 86, 86},
    {"b_div", 1, 64, 0, FaultKind::kBarrierDivergence, Severity::kError, 89, 0},
    {"b_divw", 1, 64, 0, FaultKind::kBarrierDivergence, Severity::kError, 93, 0},
    {"b_mask", 1, 32, 0, FaultKind::kBadShuffleMask, Severity::kError, 97, 0},
    {"b_shfl", 1, 32, 0, FaultKind::kBadShuffleMask, Severity::kError, 100, 0},
    {"b_grace", 4, 1, 0, FaultKind::kRace, Severity::kError, 103, 103},
};

int own_line(const std::vector<device::Frame>& frames) { return frames.empty() ? 0 : frames.back().line; }

}  // namespace

TEST_CASE("every wrong kernel of the calibration is reported at its line") {
  const Result<ImagePointer> image = make_image(test_ptx("vgpu/calib"));
  REQUIRE(image);
  for (const Wrong& wrong : kWrong) {
    INFO(wrong.kernel);
    TestGpu gpu(test_ptx("vgpu/calib"));
    const std::vector<std::string> names = entry_names(**image);
    const auto name =
        std::find_if(names.begin(), names.end(), [&](const std::string& each) { return demangle(each).starts_with(std::string(wrong.kernel) + "("); });
    REQUIRE(name != names.end());
    const std::string kernel = wrong.kernel;
    const device::Address data = gpu.buffer(std::vector<char>(1 << 20)), out = gpu.buffer(std::vector<char>(1 << 16));
    device::Address small = 0;  // never written
    REQUIRE(gpu.gpu->allocate(256, small).ok());
    gpu.dynamic_shared = wrong.shared;
    const device::Dim3 grid{wrong.grid, 1, 1}, block{wrong.block, 1, 1};
    if (kernel == "b_uninit") REQUIRE(gpu.launch(*name, grid, block, small, out).ok());
    else if (kernel == "b_grace") REQUIRE(gpu.launch(*name, grid, block, out + 256, out).ok());
    else REQUIRE(gpu.launch(*name, grid, block, kernel == "b_oob" ? small : kernel == "b_mis" ? data : out).ok());
    const std::vector<device::Fault>& faults = gpu.gpu->faults();
    const auto found = std::find_if(faults.begin(), faults.end(),
                                    [&](const device::Fault& fault) { return fault.kind == wrong.kind && fault.severity == wrong.severity; });
    REQUIRE(found != faults.end());
    INFO(found->message);
    const int line = own_line(found->frames), other = found->related.empty() ? 0 : own_line(found->related.front().frames);
    CHECK(std::minmax(line, other) == std::minmax(wrong.line, wrong.other_line));
    for (const device::Fault& fault : faults) CHECK(fault.kind == wrong.kind);
  }
}

}  // namespace warpbook::vgpu::testing
