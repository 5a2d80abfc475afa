#include "judge/ptx/parser.hpp"

#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/ptx/instruction.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

TEST_CASE("every module that nvcc wrote is read, and every instruction of it is known", "[ptx][parser]") {
  std::filesystem::path folder = std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/tests/ptx";
  int count = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".ptx") continue;
    INFO(file.path());
    auto text = read_file(file.path());
    REQUIRE(text);
    auto module = parse(*text);
    INFO((module ? "" : module.error().text()));
    REQUIRE(module);
    for (const Function& function : module->functions) {
      for (const Instruction& instruction : function.body) {
        INFO(text_of(instruction, function));
        CHECK_FALSE(is_refused(instruction.op));
      }
    }
    ++count;
  }
  CHECK(count >= 21);
}
