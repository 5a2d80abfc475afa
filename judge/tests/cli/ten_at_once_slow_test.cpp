// Ten judges compile the same new source into an empty cache at once.
#include <nlohmann/json.hpp>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

TEST_CASE("ten runs at once on one uncompiled source leave a whole cache") {
  const Home home("home", Home::Cache::kOwn);
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  constexpr int kRuns = 10;
  std::vector<run::Child> children;
  for (int i = 0; i < kRuns; ++i) {
    Result<run::Child> child = run::Child::start(home.command({"run", "05", "--case", "zeros", "--jobs", "1"}));
    REQUIRE(child);
    children.push_back(std::move(*child));
  }
  for (run::Child& child : children) {
    const Said one = said(child.wait());
    CHECK(one.status == kAccepted);
    CHECK(one.err.empty());
  }
  CHECK(leftover_files(home) == std::vector<std::string>{});

  // Every file of every entry is what its manifest says.
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(home.cache())) {
    if (entry.path().filename() == "include") continue;  // the link to common/, no entry
    const auto manifest = nlohmann::json::parse(home.read(entry.path() / "manifest.json"));
    for (const auto& [name, what] : manifest["files"].items()) {
      CHECK(content_hash(home.read(entry.path() / name)) == what["hash"]);
      ++files;
    }
  }
  CHECK(files >= 3);  // library, device code and host object
  CHECK(contains(home.judge({"run", "05", "--case", "zeros"}).out, "compiled before"));
}
