// Replays recorded answers of a real GPU; see README.md for what they settle.
#include <fstream>
#include <sstream>

#include "judge/tests/catch.hpp"
#include "judge/vgpu/ops/trial.hpp"

namespace warpbook::vgpu::ops {

TEST_CASE("operations answer as an H200 did") {
  std::ifstream file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/vgpu/ops/h200_cases.txt");
  REQUIRE(file);
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string form, word;
    words >> form;
    std::vector<Lanes> sources;
    while (words >> word && word != "=") sources.push_back(splat(std::stoull(word, nullptr, 16)));
    std::uint64_t expected = 0;
    words >> std::hex >> expected;
    INFO(line);
    CHECK(Trial(form).run(sources).results.front().front() == expected);
    ++cases;
  }
  CHECK(cases > 400);
}

}  // namespace warpbook::vgpu::ops
