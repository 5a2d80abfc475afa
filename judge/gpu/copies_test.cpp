// The copies that make the ceiling: their names, and that they compile as a submission does.
#include "judge/gpu/copies.hpp"

#include <set>
#include <string>

#include "judge/tests/catch.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;
using namespace warpbook::gpu;

TEST_CASE("every kind of copy has a name of its own, and the empty kernel is none of them") {
  std::set<std::string_view> names = {name_of(CopyKind::kNothing)};
  for (const CopyKind kind : copy_kinds()) {
    CHECK(kind != CopyKind::kNothing);
    CHECK(names.insert(name_of(kind)).second);
    CHECK_FALSE(name_of(kind).empty());
  }
}

TEST_CASE("the copies compile as a submission does") {
  const auto toolkit = toolchain::find_toolkit();
  if (!toolkit) {
    WARN("no CUDA toolkit here: the copies are not compiled");
    return;
  }
  const TemporaryFolder folder("copies");
  toolchain::CompileOptions options;
  options.cache = folder / "cache";
  const auto library = build_copies(*toolkit, options);
  INFO((library ? std::string() : library.error().what));
  REQUIRE(library);
  CHECK(std::filesystem::exists(*library));
}
