// Several judges at once in one workbook: each gives its verdict, every attempt is on record, and the cache holds whole entries.
#include <vector>

#include "judge/store/sqlite_store.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/leftovers.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// Starts `count` runs of the same words and waits for all.
std::vector<Said> run_together(const Home& home, const Words& words, int count) {
  std::vector<run::Child> children;
  for (int i = 0; i < count; ++i) {
    Result<run::Child> child = run::Child::start(home.command(words));
    REQUIRE(child);
    children.push_back(std::move(*child));
  }
  std::vector<Said> all;
  for (run::Child& child : children) all.push_back(said(child.wait()));
  return all;
}

void check_all_recorded(const Home& home, std::size_t count) {
  const auto store = store::open_store(home.at("work/progress.sqlite"));
  REQUIRE(store);
  const auto attempts = (*store)->attempts("05-layernorm", static_cast<int>(count) + 1);
  REQUIRE(attempts);
  REQUIRE(attempts->size() == count);
  for (const store::Attempt& attempt : *attempts) {
    CHECK(attempt.finished_ms);
    CHECK(attempt.outcome.verdict == "AC");
  }
}

}  // namespace

TEST_CASE("two runs at once on one task") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  for (const Said& one : run_together(home, {"run", "05"}, 2)) {
    CHECK(one.status == kAccepted);
    CHECK(one.err.empty());
    CHECK(contains(one.out, "AC accepted, 14 of 14 cases"));
  }
  check_all_recorded(home, 2);
}
