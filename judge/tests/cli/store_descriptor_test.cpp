// judge run --store-descriptor FD and WARPBOOK_WORK: how a class server runs it. What is recorded goes over the socket and nowhere else,
// and the learner's files are those of the folder named.
#include <sys/socket.h>

#include <thread>

#include "judge/base/descriptor.hpp"
#include "judge/store/remote_store.hpp"
#include "judge/store/sqlite_store.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// `judge WORDS --store-descriptor 7` with the folder `own`; `store` answers at the other end.
Said judge_over_socket(const Home& home, Words words, store::Store& store) {
  SocketPair ends;
  REQUIRE(ends.open(SOCK_STREAM));
  words.insert(words.end(), {"--store-descriptor", "7"});
  run::Command command = home.command(words);
  command.pass.emplace_back(ends.child.get(), 7);
  command.set_environment["WARPBOOK_WORK"] = home.at("own").string();
  Status answered = Error{"never asked"};
  std::thread server([&] { answered = store::answer_store(ends.judge.get(), store); });
  auto child = run::Child::start(command);
  ends.child.reset();
  REQUIRE(child);
  Said result = said(child->wait());
  server.join();  // the child was the only other end
  CHECK(answered);
  return result;
}

}  // namespace

TEST_CASE("a run records over the socket, with its source, and reads its learner's files") {
  const Home home;
  home.write("own/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  auto store = store::open_store(home.at("elsewhere.sqlite"));
  REQUIRE(store);
  const Said told = judge_over_socket(home, {"run", "05", "--quiet"}, **store);
  INFO(told.out + told.err);
  CHECK(told.status == kAccepted);
  CHECK(told.err.find("warning") == std::string::npos);
  CHECK_FALSE(home.exists("own/progress.sqlite"));
  CHECK_FALSE(home.exists("work/progress.sqlite"));
  CHECK_FALSE(home.exists("work/05-layernorm"));
  const auto attempts = (*store)->attempts("05-layernorm", 10);
  REQUIRE(attempts->size() == 1);
  CHECK(attempts->front().finished_ms);
  CHECK(attempts->front().outcome.verdict == "AC");
  CHECK_FALSE(attempts->front().outcome.provisional);
  CHECK(*(*store)->source(attempts->front().begun.source_hash) == std::optional<std::string>(layernorm_with(kRightVariance)));
  CHECK((*store)->measurements("05-layernorm", 1000)->size() > 20);
}

TEST_CASE("a run whose server is gone goes on and says that nothing is recorded") {
  const Home home;
  const auto file = home.write("mine.cu", layernorm_with(kRightVariance));
  run::Command command = home.command({"run", "05", file.string(), "--case", "plain", "--quiet"});
  SECTION("the other end is closed") {
    SocketPair ends;
    REQUIRE(ends.open(SOCK_STREAM));
    command = home.command({"run", "05", file.string(), "--quiet", "--store-descriptor", "7"});
    command.pass.emplace_back(ends.child.get(), 7);
    ends.judge.reset();
    const Said told = finish(command);
    INFO(told.out + told.err);
    CHECK(told.status == kAccepted);
    CHECK(contains(told.err, "warning: this attempt is not recorded: error: the server that records cannot be asked"));
    CHECK_FALSE(home.exists("work/progress.sqlite"));
  }
  SECTION("there is no such descriptor") {
    command.argv.insert(command.argv.end(), {"--store-descriptor", "7"});
    const Said told = finish(command);
    CHECK(told.status == kUsage);
    CHECK(contains(told.err, "--store-descriptor: 7 is no descriptor of a connected socket"));
  }
}

TEST_CASE("points for a text are marked as provisional on the record") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  REQUIRE(home.judge({"start", "05"}).status == kAccepted);
  std::string sheet = home.read("work/05-layernorm/answers.md");
  const std::size_t heading = sheet.find("## explanation");
  REQUIRE(heading != std::string::npos);
  home.write("work/05-layernorm/answers.md", sheet + "\nThe variance is clamped because rounding can make it negative.\n");
  REQUIRE(home.judge({"run", "05", "--quiet"}).status == kAccepted);
  const auto store = store::open_store(home.at("work/progress.sqlite"));
  CHECK((*store)->attempts("05-layernorm", 1)->front().outcome.provisional);
}
