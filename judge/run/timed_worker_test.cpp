// The timed conversation, with a runtime whose events are the host's clock: which sets are launched, what a round takes by either clock,
// and that a worker that breaks off has the same endings as one of a single launch.
#include "judge/run/timed_worker.hpp"

#include <cstring>

#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::run;

namespace {

constexpr std::uint32_t kSets = 5;
constexpr std::uint64_t kFirstSet = 1000, kBetweenSets = 300;  // where the sample runtime's letters lie

TimedRequest timed_request(const char* how) {
  TimedRequest request;
  request.worker = WARPBOOK_WORKER;
  request.runtime = WARPBOOK_SAMPLE_RUNTIME;
  request.submission = WARPBOOK_SAMPLE_SUBMISSION;
  request.environment["SAMPLE_NO_ERROR"] = "1";
  SharedTensor tensor;
  std::memcpy(tensor.handle.data(), "good", 5);
  tensor.offset = kFirstSet;
  const auto* bytes = reinterpret_cast<const std::byte*>(how);
  ArgumentSets sets;
  sets.arguments = {std::vector<std::byte>(bytes, bytes + std::strlen(how) + 1), tensor};
  sets.strides = {0, kBetweenSets};
  sets.count = kSets;
  request.order.groups = {sets, sets};
  request.order.groups[1].count = 2;
  return request;
}

}  // namespace

TEST_CASE("a round launches as often as it is told, each time with the next set") {
  TimedWorker worker(timed_request("timed"));
  REQUIRE(worker.running());
  const auto first = worker.round({0, 3, 4});
  REQUIRE(first.has_value());
  REQUIRE(worker.round({1, 1, 3}).has_value());
  const WorkerOutcome& outcome = worker.finish();
  CHECK(outcome.ending == WorkerEnding::kReplied);
  CHECK(outcome.reply.stage == WorkerStage::kFinished);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "deabbab");
  CHECK_FALSE(worker.round({0, 0, 1}).has_value());
}

TEST_CASE("the judge's clock sees all of a round, and what the worker reports is part of it") {
  TimedWorker worker(timed_request("timed"));
  const auto few = worker.round({0, 0, 10}), many = worker.round({0, 0, 30});
  REQUIRE(few.has_value());
  REQUIRE(many.has_value());
  CHECK(few->device_seconds >= 0.010);
  CHECK(few->wall_seconds >= few->device_seconds);
  CHECK(many->wall_seconds - few->wall_seconds >= 0.010);
  CHECK(many->device_seconds >= 0.030);
}

TEST_CASE("a launch that is refused ends its round; the worker can be asked for another") {
  TimedWorker refused(timed_request("third fails"));
  REQUIRE(refused.round({0, 0, 2}).has_value());
  CHECK_FALSE(refused.round({0, 0, 2}).has_value());
  CHECK(refused.finish().ending == WorkerEnding::kReplied);
  CHECK(refused.outcome().reply.stage == WorkerStage::kFinished);
  CHECK(refused.outcome().reply.launch_code == 11);
  TimedWorker goes_on(timed_request("third fails"));
  CHECK_FALSE(goes_on.round({0, 0, 3}).has_value());
  CHECK(goes_on.round({0, 0, 3}).has_value());
  CHECK(goes_on.finish().reply.launch_code == 0);
}

TEST_CASE("an error that the launch function kept to itself is one all the same") {
  TimedRequest request = timed_request("timed");
  request.environment.clear();
  TimedWorker worker(std::move(request));
  CHECK_FALSE(worker.round({0, 0, 1}).has_value());
  CHECK(worker.outcome().reply.last_error == 7);
  CHECK_FALSE(worker.running());
}

TEST_CASE("a worker that breaks off in a round ends as any worker does") {
  const auto after = [](const char* how) {
    TimedRequest request = timed_request(how);
    request.patience = std::chrono::milliseconds(300);
    TimedWorker worker(std::move(request));
    REQUIRE(worker.round({0, 0, 2}).has_value());
    CHECK_FALSE(worker.round({0, 0, 3}).has_value());
    return worker.outcome();
  };
  CHECK(after("sleeps at c").ending == WorkerEnding::kWallLimit);
  const WorkerOutcome thrown = after("throws at c");
  CHECK(thrown.ending == WorkerEnding::kReplied);
  CHECK(thrown.reply.stage == WorkerStage::kThrew);
  CHECK(thrown.reply.message == "thrown by the learner");
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(after("crashes at c").ending == WorkerEnding::kCrashed);
#endif
}

TEST_CASE("a worker that says what nobody asked for is ended") {
  TimedWorker worker(timed_request("ready again"));
  CHECK_FALSE(worker.round({0, 0, 1}).has_value());
  CHECK(worker.outcome().ending == WorkerEnding::kViolation);
}

TEST_CASE("a timed worker that does not get ready says why") {
  TimedRequest request = timed_request("timed");
  std::get<SharedTensor>(request.order.groups[0].arguments[1]).handle[0] = std::byte{'b'};
  const TimedWorker no_memory(request);
  CHECK_FALSE(no_memory.running());
  CHECK(no_memory.outcome().reply.stage == WorkerStage::kNoSharedTensor);
  request.submission = "/nowhere/submission.so";
  const TimedWorker no_submission(request);
  CHECK(no_submission.outcome().reply.stage == WorkerStage::kNotLoaded);
  request.worker = "/nowhere/warpbook-worker";
  const TimedWorker no_worker(request);
  CHECK(no_worker.outcome().ending == WorkerEnding::kNotStarted);
}
