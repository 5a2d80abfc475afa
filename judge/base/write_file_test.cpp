#include <sys/stat.h>

#include <filesystem>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;

TEST_CASE("a link is followed and stays a link") {
  const TemporaryFolder folder("write");
  const auto real = folder.path() / "real.cu", link = folder.path() / "link.cu";
  REQUIRE(write_file(real, "old"));
  std::filesystem::create_symlink(real, link);
  REQUIRE(write_file(link, "new"));
  CHECK(std::filesystem::is_symlink(link));
  CHECK(read_file(real).value() == "new");
}

TEST_CASE("a file keeps its mode, and one without permission to write is refused") {
  const TemporaryFolder folder("write");
  const auto file = folder.path() / "a.cu";
  REQUIRE(write_file(file, "old"));
  REQUIRE(::chmod(file.c_str(), 0660) == 0);
  REQUIRE(write_file(file, "new"));
  struct ::stat found {};
  REQUIRE(::stat(file.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0660);
  REQUIRE(::chmod(file.c_str(), 0444) == 0);
  const Status refused = write_file(file, "newer");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text().find("is read-only") != std::string::npos);
  CHECK(read_file(file).value() == "new");
}
