// Replays what hardware makes of products that feed sums (judge/tests/calibration): every kernel of contract.cu must give contract.txt's
// bits, because a product rounded where the assembler fuses it gives right kernels a wrong verdict.
#include <cmath>
#include <cstdint>
#include <sstream>

#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

struct In {
  float a, b, c, d;
};
const std::vector<In> kInputs = {{10000.5f, 10000.5f, 100010000.f, 3.f},
                                 {1.1f, 1.3f, 1.43f, 0.7f},
                                 {0.1f, 0.3f, 0.03f, 7.7f},
                                 {5793.5f, 5793.5f, 33564640.f, 1.0000001f}};
constexpr int kExpressions = 16;

/// The lines of contract.txt below the heading that says the driver assembled PTX for compute_80.
std::vector<std::string> measured_lines() {
  const Result<std::string> text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/calibration/contract.txt");
  if (!text) FAIL(text.error().text());
  std::vector<std::string> lines = split_lines(*text);
  std::size_t first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("compute_80") != std::string::npos) first = i + 1;
  }
  return {lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end()};
}

/// The 8-digit hexadecimal words of a line, in order.
std::vector<std::uint32_t> words(const std::string& line) {
  std::vector<std::uint32_t> found;
  std::istringstream in(line);
  for (std::string word; in >> word;) {
    if (word.size() == 8 && word.find_first_not_of("0123456789abcdef") == std::string::npos) {
      found.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("products are fused as the assembler fuses them") {
  TestGpu gpu(test_ptx("contract"));
  const std::vector<std::string> lines = measured_lines();
  REQUIRE(lines.size() >= static_cast<std::size_t>(kExpressions));
  const device::Address in = gpu.buffer(kInputs), out = gpu.buffer(std::vector<std::uint32_t>(8));
  for (int expression = 0; expression < kExpressions; ++expression) {
    const std::string& line = lines[static_cast<std::size_t>(expression)];
    const std::string kernel = "_Z1kILi" + std::to_string(expression) + "EEvPK2InPf";
    REQUIRE(gpu.launch(kernel, {1, 1, 1}, {4, 1, 1}, in, out).ok());
    gpu.require_clean();
    const std::vector<std::uint32_t> got = gpu.read<std::uint32_t>(out, 8);
    INFO(line);
    CHECK(std::vector<std::uint32_t>{got[0], got[2], got[4], got[6]} == words(line));
  }
}

TEST_CASE("products that cross a branch or a loop") {
  TestGpu gpu(test_ptx("contract"));
  const std::vector<std::string> lines = measured_lines();
  const device::Address in = gpu.buffer(std::vector<In>{{1.1f, 1.3f, 1.43f, 0.7f}}), out = gpu.buffer(std::vector<std::uint32_t>(64));
  for (int expression = 0; expression < 5; ++expression) {
    const std::string& line = lines.at(static_cast<std::size_t>(kExpressions + expression));
    const std::string kernel = "_Z6acrossILi" + std::to_string(expression) + "EEvPK2InPfi";
    REQUIRE(gpu.launch(kernel, {1, 1, 1}, {1, 1, 1}, in, out, 4).ok());
    gpu.require_clean();
    INFO(line);
    CHECK(gpu.read<std::uint32_t>(out, 1) == words(line));
  }
}

TEST_CASE("double and half products") {
  TestGpu gpu(test_ptx("contract"));
  const device::Address in = gpu.buffer(std::vector<In>{{1.1f, 1.3f, 1.43f, 0.7f}}), wide = gpu.buffer(std::vector<double>(1)),
                        out = gpu.buffer(std::vector<float>(64));
  REQUIRE(gpu.launch("_Z5otherPK2InPdPfi", {1, 1, 1}, {1, 1, 1}, in, wide, out, 4).ok());
  gpu.require_clean();
  const volatile double product = static_cast<double>(1.1f) * static_cast<double>(1.3f);
  CHECK(gpu.read<double>(wide, 1)[0] == std::fma(product, 1.0000000001, -static_cast<double>(1.43f)));
  const std::vector<float> got = gpu.read<float>(out, 4);
  CHECK(got[0] == -0.000410079956f);
  CHECK(got[1] == -0.000410079956f);
  CHECK(got[2] == 0.0f);  // bfloat16 stays apart in PTX for compute_80
  CHECK(got[3] == -0.000410079956f);
}

}  // namespace warpbook::vgpu::testing
