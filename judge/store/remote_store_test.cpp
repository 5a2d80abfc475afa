// The socket between a run and its server: what happens when one side breaks off or says nonsense. (What is answered otherwise is asked
// in store_contract_test.cpp.)
#include "judge/store/remote_store.hpp"

#include <fcntl.h>

#include <thread>

#include "judge/base/descriptor.hpp"
#include "judge/store/sqlite_store.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;
using namespace warpbook::store;

namespace {

/// What answer_store makes of these bytes, after which the other side closes; `reply` is what came back.
Status answered_with(const std::string& bytes, std::string& reply) {
  TemporaryFolder folder("remote");
  auto store = open_store(folder / "progress.sqlite");
  REQUIRE(store);
  SocketPair ends;
  REQUIRE(ends.open(SOCK_STREAM));
  std::thread other([&] {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t sent = ::send(ends.child.get(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) break;
      done += static_cast<std::size_t>(sent);
    }
    ::shutdown(ends.child.get(), SHUT_WR);
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(ends.child.get(), buffer, sizeof buffer, 0)) > 0;)
      reply.append(buffer, static_cast<std::size_t>(got));
  });
  const Status status = answer_store(ends.judge.get(), **store);
  ends.judge.reset();
  other.join();
  return status;
}

}  // namespace

TEST_CASE("what is no call is answered with an error and ends the talk") {
  for (const char* line : {"no JSON\n", "[]\n", "{}\n", "{\"call\": \"drop\", \"with\": []}\n", "{\"call\": \"attempt\", \"with\": []}\n",
                           "{\"call\": \"attempt\", \"with\": [\"x\"]}\n", "{\"call\": \"attempt\", \"with\": {\"0\": 1}}\n",
                           "{\"call\": \"begin_attempt\", \"with\": [{\"task\": 5}]}\n", "\n"}) {
    std::string reply;
    const Status status = answered_with(std::string(line) + "{\"call\": \"all_progress\", \"with\": []}\n", reply);
    INFO(line);
    CHECK_FALSE(status);
    CHECK(reply.find("{\"error\":") == 0);
    CHECK(reply.find('\n') == reply.size() - 1);
  }
}

TEST_CASE("a line without end does not fill the memory") {
  std::string reply;
  const Status status = answered_with(std::string((std::size_t{64} << 20) + (1 << 17), 'x'), reply);
  REQUIRE_FALSE(status);
  CHECK(status.error().what == "a line has more than 67108864 bytes");
}

TEST_CASE("a side that closes between lines is the end, within one an error") {
  std::string reply;
  CHECK(answered_with("{\"call\": \"all_progress\", \"with\": []}\n", reply));
  CHECK(reply == "{\"value\":[]}\n");
  reply.clear();
  CHECK_FALSE(answered_with("{\"call\": \"all_progress\"", reply));
  CHECK(reply.empty());
}

TEST_CASE("when the server is gone or answers nonsense every call says so") {
  SocketPair ends;
  REQUIRE(ends.open(SOCK_STREAM));
  REQUIRE(::fcntl(ends.child.get(), F_SETFD, 0) == 0);
  auto store = open_remote_store(ends.child.get());
  REQUIRE(store);
  CHECK((::fcntl(ends.child.get(), F_GETFD) & FD_CLOEXEC) != 0);
  ends.child.release();
  SECTION("gone") { ends.judge.reset(); }
  SECTION("nonsense") { REQUIRE(::send(ends.judge.get(), "{\"value\": \"x\"}\n", 15, 0) == 15); }
  SECTION("half an answer") {
    REQUIRE(::send(ends.judge.get(), "{\"val", 5, 0) == 5);
    ::shutdown(ends.judge.get(), SHUT_WR);
  }
  for (int i = 0; i < 2; ++i) {
    const auto progress = (*store)->all_progress();
    REQUIRE_FALSE(progress);
    CHECK(progress.error().what.find("the server that records cannot be asked: ") == 0);
  }
}

TEST_CASE("what is no socket is not taken for one") {
  Pipe pipe;
  REQUIRE(pipe.open());
  CHECK_FALSE(open_remote_store(pipe.write.get()));
  CHECK_FALSE(open_remote_store(-1));
  CHECK_FALSE(open_remote_store(987));
}

TEST_CASE("a text that is not UTF-8 is refused, and the next call is answered") {
  TemporaryFolder folder("remote");
  SocketPair ends;
  REQUIRE(ends.open(SOCK_STREAM));
  std::thread server([end = std::move(ends.judge), file = folder / "progress.sqlite"] {
    auto store = open_store(file);
    if (store) (void)answer_store(end.get(), **store);
  });
  {
    auto store = open_remote_store(ends.child.release());
    REQUIRE(store);
    const Status refused = (*store)->record_solution_opened("a\xff");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().what == "a text is not UTF-8 and cannot be recorded");
    CHECK((*store)->record_solution_opened("a"));
    CHECK((*store)->progress("a")->solution_opened);
  }
  server.join();
}
