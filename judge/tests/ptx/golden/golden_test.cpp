// Every kernel of the suite on the virtual GPU, against what an H200 wrote: bit for bit, and the approximate instructions within the
// bounds that PTX states for them (bounds.hpp).
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "judge/tests/catch.hpp"
#include "judge/tests/ptx/golden/bounds.hpp"
#include "judge/tests/ptx/golden/exceptions.hpp"
#include "judge/tests/ptx/golden/results.hpp"
#include "judge/tests/ptx/golden/suite.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::golden {
namespace {

constexpr std::size_t kKernelsPerModule = 200, kWarp = 32;

std::vector<std::uint8_t> bytes_of(std::string_view hex) {
  std::vector<std::uint8_t> bytes(hex.size() / 2);
  const auto digit = [](char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return bytes;
}

std::string hex_of(const std::uint8_t* bytes, std::size_t count) {
  std::string text = "0x";
  for (std::size_t i = count; i-- > 0;) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

/// A device with one module. An error sticks to a device, so that behind one there is a new one.
class Bench {
 public:
  explicit Bench(vgpu::ImagePointer image) : image_(std::move(image)) { renew(); }

  /// What `kernel` writes; `problem` says why it did not run to its end.
  std::vector<std::uint8_t> run(const Kernel& kernel, std::string& problem) {
    device::Address in = 0, out = 0;
    std::vector<std::uint8_t> result(kernel.output_bytes, kUntouched);
    problem.clear();
    const auto check = [&](const device::Answer& answer) {
      if (!answer.ok() && problem.empty()) problem = answer.message.empty() ? "failed" : answer.message;
    };
    constexpr std::size_t kBehind = 256;  // hints name whole cache lines
    check(gpu_->allocate_named(kernel.input.size() + kBehind, 0, "in", in));
    check(gpu_->allocate_named(result.size(), 0, "out", out));
    check(gpu_->write(in, std::as_bytes(std::span(kernel.input))));
    check(gpu_->write(out, std::as_bytes(std::span(result))));
    device::Launch launch;
    launch.module = module_;
    launch.function = kernel.name;
    launch.block = {static_cast<std::uint32_t>(kernel.threads), 1, 1};
    constexpr std::size_t kBlobAt = 32;
    launch.parameters.resize(kBlobAt + kBlobBytes);
    std::memcpy(launch.parameters.data(), &in, sizeof in);
    std::memcpy(launch.parameters.data() + sizeof in, &out, sizeof out);
    std::memcpy(launch.parameters.data() + kBlobAt, blob().data(), kBlobBytes);
    const std::size_t before = gpu_->faults().size();
    check(gpu_->launch(launch));
    if (gpu_->faults().size() > before) problem = gpu_->faults().back().message;
    check(gpu_->read(std::as_writable_bytes(std::span(result)), out));
    gpu_->free(in);
    gpu_->free(out);
    if (!problem.empty()) renew();
    return result;
  }

 private:
  void renew() {
    vgpu::Options options;
    options.properties.major = 9;
    options.properties.minor = 0;
    gpu_ = vgpu::VirtualGpu::create(options);
    module_ = gpu_->adopt(image_);
  }

  vgpu::ImagePointer image_;
  std::unique_ptr<vgpu::VirtualGpu> gpu_;
  std::uint64_t module_ = 0;
};

/// What no rule fixes is made equal before the comparison.
void overlook(const Kernel& kernel, const std::vector<std::uint8_t>& expected, std::vector<std::uint8_t>& got) {
  if (expected.size() != got.size() || kernel.lane_bytes == 0) return;
  const auto threads = static_cast<std::size_t>(kernel.threads);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    const std::size_t at = thread * kernel.lane_bytes;
    std::size_t counts = kernel.lane_counts == 0 ? kernel.lane_bytes : kernel.lane_counts;
    if (thread + kWarp >= threads && is_off(thread % kWarp) && guard_is_overlooked(kernel.key)) counts = 0;
    std::copy_n(&expected[at + counts], kernel.lane_bytes - counts, &got[at + counts]);
  }
}

struct Tally {
  int equal = 0, within = 0, different = 0, refused = 0;
};

}  // namespace

TEST_CASE("every variant answers as an H200 did") {
  const auto golden = read_results_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx/golden/results.txt.zst");
  if (!golden) FAIL(golden.error().text());
  const char* only = std::getenv("WARPBOOK_GOLDEN");  // a part of the keys, to look at one instruction
  std::vector<Kernel> all = suite();
  std::erase_if(all, [&](const Kernel& kernel) { return only != nullptr && kernel.key.find(only) == std::string::npos; });
  Tally tally;
  for (std::size_t first = 0; first < all.size(); first += kKernelsPerModule) {
    std::vector<const Kernel*> kernels;
    for (std::size_t k = first; k < std::min(all.size(), first + kKernelsPerModule); ++k) kernels.push_back(&all[k]);
    const auto image = vgpu::make_image(module_text(kernels));
    if (!image) {
      FAIL_CHECK(image.error().text());
      continue;
    }
    Bench bench(*image);
    for (const Kernel* kernel : kernels) {
      const std::optional<std::string_view> reason = exception(kernel->key);
      const auto expected_hex = golden->find(kernel->key);
      INFO(kernel->key);
      if (expected_hex == golden->end()) {
        if (!reason) FAIL_CHECK("no answer of an H200 is recorded; run_on_gpu.cpp makes them");
        continue;
      }
      const std::vector<std::uint8_t> expected = bytes_of(expected_hex->second);
      std::string problem;
      std::vector<std::uint8_t> got = bench.run(*kernel, problem);
      if (!problem.empty()) {
        ++tally.refused;
        if (!reason) FAIL_CHECK(problem);
        continue;
      }
      overlook(*kernel, expected, got);
      if (got == expected) {
        ++tally.equal;
        // An exception that is none any more must leave the list.
        if (reason) FAIL_CHECK("equal, though exceptions.hpp says: " << *reason);
        continue;
      }
      if (within_bounds(*kernel, expected, got)) {
        ++tally.within;
        continue;
      }
      if (reason) continue;
      ++tally.different;
      const std::size_t lane_bytes = std::max<std::size_t>(kernel->lane_bytes, 1);
      std::string lanes;
      int shown = 0;
      for (std::size_t at = 0; at + lane_bytes <= expected.size() && shown < 6; at += lane_bytes) {
        if (std::memcmp(&expected[at], &got[at], lane_bytes) == 0) continue;
        lanes += fmt::format("\n  thread {}: {} here, {} on an H200; operands", at / lane_bytes, hex_of(&got[at], lane_bytes),
                             hex_of(&expected[at], lane_bytes));
        const std::size_t record = kernel->input.size() / static_cast<std::size_t>(kernel->threads);
        const std::uint8_t* operands = &kernel->input[at / lane_bytes % static_cast<std::size_t>(kernel->threads) * record];
        for (int slot = 0; slot < 4; ++slot) lanes += " " + hex_of(operands + 16 * slot, 8);
        ++shown;
      }
      FAIL_CHECK("differs" << lanes);
    }
  }
  fmt::print("golden: {} equal, {} within their bounds, {} different, {} not run\n", tally.equal, tally.within, tally.different,
             tally.refused);
}

}  // namespace warpbook::golden
