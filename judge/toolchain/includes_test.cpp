#include "judge/toolchain/includes.hpp"

#include <unistd.h>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::toolchain;
namespace fs = std::filesystem;

namespace {

struct Headers {
  fs::path folder = fs::temp_directory_path() / ("warpbook includes " + std::to_string(::getpid()));
  ~Headers() { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) { REQUIRE(write_file(folder / name, text)); }
  Included follow(const std::string& text) const { return follow_includes(text, {folder / "first", folder / "second"}); }
};

}  // namespace

TEST_CASE("a header's text counts, however deep it lies") {
  Headers headers;
  headers.write("first/a.cuh", "#pragma once\n#include \"deep/b.cuh\"\n");
  headers.write("first/deep/b.cuh", "  #  include <c.cuh>\n");
  headers.write("second/c.cuh", "int c = 1;\n");
  const std::string source = "#include \"a.cuh\"\n#include <vector>\n";
  const Included before = headers.follow(source);
  CHECK(before.complete);
  CHECK(headers.follow(source).hash == before.hash);
  headers.write("second/c.cuh", "int c = 2;\n");
  CHECK(headers.follow(source).hash != before.hash);
  CHECK(headers.follow("#include <vector>\n").hash != before.hash);
}

TEST_CASE("the first folder that has a header wins, also when it gets one later") {
  Headers headers;
  headers.write("second/a.cuh", "int a;\n");
  const Included before = headers.follow("#include <a.cuh>\n");
  headers.write("first/a.cuh", "long a;\n");
  const Included after = headers.follow("#include <a.cuh>\n");
  CHECK(after.hash != before.hash);
  headers.write("second/a.cuh", "char a;\n");
  CHECK(headers.follow("#include <a.cuh>\n").hash == after.hash);
}

TEST_CASE("headers that include each other end") {
  Headers headers;
  headers.write("first/a.cuh", "#include \"b.cuh\"\n");
  headers.write("first/b.cuh", "#include \"a.cuh\"\n#include \"./b.cuh\"\n");
  CHECK(headers.follow("#include \"a.cuh\"\n").complete);
}

TEST_CASE("what cannot be followed is said") {
  Headers headers;
  CHECK_FALSE(headers.follow("#define H <a.cuh>\n#include H\n").complete);
  CHECK_FALSE(headers.follow("#include \"open\n").complete);
  fs::create_directories(headers.folder / "first" / "folder.cuh");
  CHECK_FALSE(headers.follow("#include <folder.cuh>\n").complete);
}

TEST_CASE("a header that is only asked for counts too") {
  Headers headers;
  const std::string source = "#if defined(X) && __has_include(<a.cuh>)\n#endif\n";
  const Included before = headers.follow(source);
  headers.write("first/a.cuh", "int a;\n");
  CHECK(headers.follow(source).hash != before.hash);
}

TEST_CASE("a text that can ask for its own line or file is told from one that cannot") {
  CHECK_FALSE(follow_includes("#include <cuda_runtime.h>\n__global__ void k() { static_assert(true); }\n", {}).tells_place);
  for (const char* word :
       {"__LINE__", "__FILE__", "__FILE_NAME__", "__BASE_FILE__", "assert(x);", "std::source_location", "__builtin_LINE()"})
    CHECK(follow_includes(std::string("int f() { ") + word + " }", {}).tells_place);
  CHECK(follow_includes("#include <cub/cub.cuh>\n", {}).tells_place);
}

TEST_CASE("whether a source is another program on another architecture is told, also of a header's word") {
  Headers headers;
  headers.write("first/a.cuh", "#include \"b.cuh\"\n");
  headers.write("first/b.cuh", "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n#endif\n");
  CHECK(headers.follow("#include \"a.cuh\"\n").tells_architecture);
  CHECK(headers.follow("#ifdef __CUDA_ARCH__\n#endif\n").tells_architecture);
  CHECK_FALSE(headers.follow("__global__ void k() {}\n").tells_architecture);
}
