#include "judge/vgpu/mbarrier.hpp"

#include <array>

#include "judge/tests/catch.hpp"

namespace warpbook::vgpu {

namespace {

struct Fixture {
  Fixture() { barriers.attach(shared.data()); }
  std::uint64_t arrive(const Arrival& arrival = {}) {
    std::uint64_t state = 0;
    const Mbarriers::Complaint complaint = barriers.arrive(8, arrival, state);
    INFO(complaint.value_or(""));
    REQUIRE_FALSE(complaint);
    return state;
  }
  bool complete(std::uint64_t state) {
    bool done = false;
    REQUIRE_FALSE(barriers.test(8, state, done));
    return done;
  }
  bool complete_parity(std::uint32_t parity) {
    bool done = false;
    REQUIRE_FALSE(barriers.test_parity(8, parity, done));
    return done;
  }
  std::string complaint_of(const Arrival& arrival) {
    std::uint64_t state = 0;
    return barriers.arrive(8, arrival, state).value_or("");
  }
  std::array<std::byte, 64> shared{};
  Mbarriers barriers;
};

}  // namespace

TEST_CASE("an mbarrier counts arrivals, phase by phase") {
  Fixture f;
  REQUIRE_FALSE(f.barriers.initialise(8, 3));
  for (std::uint32_t phase = 0; phase < 3; ++phase) {
    const std::uint64_t first = f.arrive();
    CHECK(pending_of_state(first) == 3);
    CHECK_FALSE(f.complete(first));
    CHECK_FALSE(f.complete_parity(phase & 1));
    CHECK(f.complete_parity(~phase & 1));
    const std::uint64_t second = f.arrive({.count = 2});
    CHECK(pending_of_state(second) == 2);
    CHECK(f.complete(first));
    CHECK(f.complete(second));
    CHECK(f.complete_parity(phase & 1));
  }
}

TEST_CASE("an mbarrier waits for announced bytes too") {
  Fixture f;
  REQUIRE_FALSE(f.barriers.initialise(8, 1));
  const std::uint64_t state = f.arrive({.count = 1, .announced = 100});
  CHECK_FALSE(f.complete(state));
  REQUIRE_FALSE(f.barriers.complete(8, 60));
  CHECK_FALSE(f.complete(state));
  REQUIRE_FALSE(f.barriers.complete(8, 40));
  CHECK(f.complete(state));

  // Bytes may be there before they are announced.
  REQUIRE_FALSE(f.barriers.complete(8, 16));
  REQUIRE_FALSE(f.barriers.expect(8, 16));
  CHECK(f.complete(state));
  CHECK_FALSE(f.complete(f.arrive({.count = 1, .announced = 4})));
}

TEST_CASE("who drops out is not expected any more") {
  Fixture f;
  REQUIRE_FALSE(f.barriers.initialise(8, 2));
  f.arrive({.drops = true});
  f.arrive();
  const std::uint64_t alone = f.arrive();
  CHECK(pending_of_state(alone) == 1);
  CHECK(f.complete(alone));
}

TEST_CASE("a tracked copy adds an arrival and takes it back") {
  Fixture f;
  REQUIRE_FALSE(f.barriers.initialise(8, 1));
  REQUIRE_FALSE(f.barriers.add_pending(8));
  const std::uint64_t state = f.arrive();
  CHECK_FALSE(f.complete(state));
  f.arrive();
  CHECK(f.complete(state));
}

TEST_CASE("misuse of an mbarrier is named") {
  Fixture f;
  bool done = false;
  CHECK(f.complaint_of({}) == "is not initialised");
  CHECK(f.barriers.invalidate(8) == "is not initialised");
  CHECK(f.barriers.initialise(8, 0) == "cannot be initialised for 0 arrivals: 1 to 1048575 are possible");
  REQUIRE_FALSE(f.barriers.initialise(8, 2));
  CHECK(f.barriers.initialise(8, 2) == "is initialised over a live one, which mbarrier.inval must end first");
  CHECK(f.complaint_of({.count = 3}) == "gets 3 more arrivals in phase 0, which lacks only 2 of 2");
  CHECK(f.complaint_of({.count = 2, .must_not_complete = true}) == "completes phase 0 by this arrival, which .noComplete rules out");
  CHECK(f.barriers.test(8, 0x1234, done) == "is waited for with a state that no arrival returned");
  CHECK(f.barriers.test_parity(8, 2, done) == "is waited for with parity 2: 0 and 1 are possible");

  Fixture g;
  REQUIRE_FALSE(g.barriers.initialise(8, 1));
  const std::uint64_t old = g.arrive();
  CHECK(g.complete(old));
  g.arrive();
  CHECK(g.barriers.test(8, old, done) ==
        "is in phase 2 and is waited for with the state of phase 0: only the phase under way and the one before can be");
  g.shared[11] = std::byte{7};
  CHECK(g.complaint_of({}) == "has been written over by something that is no mbarrier operation");
  CHECK_FALSE(g.barriers.initialise(8, 4));  // whoever wrote there has put the memory to another use
  CHECK(pending_of_state(g.arrive()) == 4);
}

}  // namespace warpbook::vgpu
