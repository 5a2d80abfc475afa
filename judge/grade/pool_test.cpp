#include "judge/grade/pool.hpp"

#include <unistd.h>

#include <csignal>
#include <map>

#include "judge/tests/catch.hpp"

using namespace warpbook::grade;

TEST_CASE("jobs run in processes of their own and hand back what they return") {
  std::map<int, JobEnd> ends;
  const std::string large(300000, 'x');
  const auto job = [&](int i) {
    if (i == 1) {
      ::signal(SIGSEGV, SIG_DFL);  // not the test framework's handler, which would report it
      ::raise(SIGSEGV);
    }
    if (i == 2) ::_exit(3);
    return i == 3 ? large : std::to_string(i);
  };
  REQUIRE(run_pool(5, {2, {}}, job, [&](int i, const JobEnd& end) { ends[i] = end; }));
  REQUIRE(ends.size() == 5);
  CHECK((ends[0].ok && ends[0].text == "0"));
  CHECK((!ends[1].ok && ends[1].signal == SIGSEGV));
  CHECK((!ends[2].ok && ends[2].signal == 0));
  CHECK((ends[3].ok && ends[3].text == large));
  CHECK(ends[4].text == "4");
}

TEST_CASE("a job that takes too long is ended") {
  JobEnd got;
  REQUIRE(run_pool(
      1, {1, std::chrono::milliseconds(100)},
      [](int) {
        ::sleep(30);
        return std::string("late");
      },
      [&](int, const JobEnd& end) { got = end; }));
  CHECK(got.timed_out);
  CHECK_FALSE(got.ok);
}

TEST_CASE("what outlives its job ends with the pool, also outside of the job's group") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto job = [&](int) {
    if (::fork() == 0) {
      ::setsid();
      ::execlp("sleep", "sleep", "1000", nullptr);  // keeps the pipe open, but not the pool's own
      ::_exit(1);
    }
    return std::string("done");
  };
  REQUIRE(run_pool(1, {1, std::chrono::seconds(60)}, job, [](int, const JobEnd& end) { CHECK(end.ok); }));
  ::close(ends[1]);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);  // the end of the file: nobody holds the other end any more
  ::close(ends[0]);
}
