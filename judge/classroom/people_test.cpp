#include "judge/classroom/people.hpp"

#include <time.h>

#include <set>
#include <thread>

#include "judge/classroom/class_fixture.hpp"
#include "judge/classroom/sessions.hpp"

using namespace warpbook;
using namespace warpbook::classroom;

namespace {

constexpr std::chrono::hours kDay{24};
const std::string kPassword = "correct horse battery 电池";

/// Seconds of this thread's processor: those of the clock say more about what else the machine does.
double seconds_of(const auto& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begun = now();
  work();
  return now() - begun;
}

}  // namespace

TEST_CASE("somebody invited chooses a password and signs in with it") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  People people(fixture.pool);
  const auto invited = people.invite({{"Ada", "Ada Lovelace", Role::kInstructor, true}, {"grace", "Grace Hopper"}}, kDay);
  INFO(why(invited));
  REQUIRE(invited);
  REQUIRE(invited->size() == 2);
  const std::string token = invited->front().token;
  CHECK(token.size() == 43);
  CHECK(token != invited->back().token);
  const auto shown = people.invitation(token);
  REQUIRE(*shown);
  CHECK((*shown)->person.login == "Ada");
  CHECK((*shown)->person.role == Role::kInstructor);
  CHECK_FALSE((*shown)->person.joined);
  CHECK((*shown)->expires_ms == invited->front().expires_ms);
  CHECK_FALSE(*people.sign_in("ada", ""));
  CHECK_FALSE(*people.sign_in("ada", kPassword));

  const auto accepted = people.accept(token, kPassword);
  REQUIRE(*accepted);
  CHECK((*accepted)->joined);
  CHECK_FALSE(*people.accept(token, kPassword));
  CHECK_FALSE(*people.invitation(token));
  CHECK((*people.sign_in("ADA", kPassword))->id == (*accepted)->id);
  CHECK_FALSE(*people.sign_in("ada", kPassword + "x"));
  CHECK_FALSE(*people.sign_in("grace", kPassword));
  CHECK_FALSE(*people.sign_in("nobody", kPassword));
  CHECK_FALSE(*people.sign_in(std::string("a\0da", 4), kPassword));
  CHECK_FALSE(*people.sign_in("ada\xff", kPassword));
  CHECK_FALSE(*people.sign_in("", ""));

  const auto all = people.all();
  REQUIRE(all->size() == 2);
  CHECK(all->front().joined);
  CHECK_FALSE(all->back().joined);
  CHECK((*people.find(all->back().id))->login == "grace");
  CHECK_FALSE(*people.find(99));
}

TEST_CASE("nothing stored lets anybody in") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  People people(fixture.pool);
  Sessions sessions(fixture.pool);
  const auto invited = people.invite({{"ada", "Ada"}, {"grace", "Grace"}}, kDay);
  REQUIRE(*people.accept(invited->front().token, kPassword));
  const auto session = sessions.begin(invited->front().person.id);
  REQUIRE(session);
  const auto password = fixture.pool->run("SELECT password FROM people WHERE login = 'ada'")->text(0, 0);
  CHECK(password.starts_with("$argon2id$v=19$m=65536,t=2,p=1$"));
  const auto dump = fixture.pool->run(
      "SELECT concat((SELECT string_agg(p::text, ' ') FROM people p), (SELECT string_agg(i::text, ' ') FROM invitations i), "
      "(SELECT string_agg(s::text, ' ') FROM sessions s))");
  REQUIRE(dump);
  for (const std::string& secret : {kPassword, *session, invited->back().token, (*sessions.find(*session))->csrf})
    CHECK(dump->text(0, 0).find(secret) == std::string::npos);
  // What is stored is no key by itself.
  CHECK_FALSE(*sessions.find(fixture.pool->run("SELECT token_hash FROM sessions")->text(0, 0)));
  CHECK_FALSE(*people.invitation(fixture.pool->run("SELECT token_hash FROM invitations")->text(0, 0)));
}

TEST_CASE("a list that comes again renames and doubles nobody") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  People people(fixture.pool);
  const auto first = people.invite({{"ada", "Ada", Role::kInstructor, true}, {"grace", "Grace"}}, kDay);
  REQUIRE(*people.accept(first->front().token, kPassword));
  const auto again = people.invite({{"ADA", "Ada Lovelace"}, {"grace", "Grace Hopper"}, {"mary", "Mary"}}, kDay);
  REQUIRE(again);
  REQUIRE(again->size() == 2);
  CHECK(again->front().person.login == "grace");
  CHECK(again->front().person.id == first->back().person.id);
  const auto all = people.all();
  REQUIRE(all->size() == 3);
  CHECK(all->front().name == "Ada Lovelace");
  CHECK(all->front().login == "ADA");
  CHECK(all->front().role == Role::kInstructor);
  // The link that was sent before is still good, until one of them is used.
  CHECK(*people.invitation(first->back().token));
  REQUIRE(*people.accept(again->front().token, kPassword));
  CHECK_FALSE(*people.invitation(first->back().token));
  // A role that is said is meant.
  REQUIRE(people.invite({{"ada", "Ada", Role::kLearner, true}}, kDay));
  CHECK((*people.find(first->front().person.id))->role == Role::kLearner);

  const auto bad = people.invite({{"new", "New"}, {"a b", "Space"}}, kDay);
  REQUIRE_FALSE(bad);
  CHECK(people.all()->size() == 3);
}

TEST_CASE("links end: by time, by a fresh one, with the person") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  People people(fixture.pool);
  const auto late = people.invite({{"ada", "Ada"}}, std::chrono::hours(0));
  CHECK_FALSE(*people.invitation(late->front().token));
  CHECK_FALSE(*people.accept(late->front().token, kPassword));
  const std::int64_t ada = late->front().person.id;

  const auto one = people.invite_again(ada, kDay), two = people.invite_again(ada, kDay);
  CHECK_FALSE(*people.invitation((*one)->token));
  REQUIRE(*people.accept((*two)->token, kPassword));
  CHECK_FALSE(*people.invite_again(99, kDay));

  // A lost password: the old one works until the link is used, and then sessions end, too.
  Sessions sessions(fixture.pool);
  const auto session = sessions.begin(ada);
  const auto fresh = people.invite_again(ada, kDay);
  CHECK(*people.sign_in("ada", kPassword));
  REQUIRE(*people.accept((*fresh)->token, "another password"));
  CHECK_FALSE(*people.sign_in("ada", kPassword));
  CHECK(*people.sign_in("ada", "another password"));
  CHECK_FALSE(*sessions.find(*session));

  const auto last = people.invite_again(ada, kDay);
  const auto signed_in = sessions.begin(ada);
  REQUIRE(people.remove(ada));
  REQUIRE(people.remove(ada));
  CHECK_FALSE(*people.find(ada));
  CHECK_FALSE(*people.invitation((*last)->token));
  CHECK_FALSE(*people.accept((*last)->token, kPassword));
  CHECK_FALSE(*people.sign_in("ada", "another password"));
  CHECK_FALSE(*sessions.find(*signed_in));
  CHECK_FALSE(sessions.begin(ada));
  // Back by the list, as the same person, with nothing that worked before.
  const auto back = people.invite({{"ada", "Ada"}}, kDay);
  REQUIRE(back->size() == 1);
  CHECK(back->front().person.id == ada);
  CHECK_FALSE(*people.sign_in("ada", "another password"));
}

TEST_CASE("of two who accept one link at once, one gets in") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  People people(fixture.pool);
  const auto invited = people.invite({{"ada", "Ada"}}, kDay);
  // The link is held until both have come as far as taking it.
  std::optional<store::PostgresTransaction> held;
  if (auto begun = store::PostgresTransaction::begin(*fixture.pool)) held.emplace(std::move(*begun));
  REQUIRE(held);
  REQUIRE(held->run("SELECT 1 FROM invitations FOR UPDATE"));
  std::atomic<int> in = 0, errors = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      const auto accepted = people.accept(invited->front().token, "password number " + std::to_string(i));
      if (!accepted) ++errors;
      if (accepted && *accepted) ++in;
    });
  }
  int waiting = 0;
  for (int i = 0; i < 400 && waiting < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto locks =
        fixture.pool->run("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()");
    if (locks) waiting = static_cast<int>(locks->integer(0, 0));
  }
  held.reset();
  for (std::thread& thread : threads) thread.join();
  CHECK(waiting == 2);
  CHECK(in == 1);
  CHECK(errors == 0);
}

TEST_CASE("what can be a password") {
  CHECK(check_password("ten chars!"));
  CHECK(check_password("十个字的密码就是这样"));
  CHECK(check_password(std::string(1000, 'x')));
  for (const std::string& bad :
       {std::string("nine char"), std::string(1001, 'x'), std::string("bad utf-8 \xff"), std::string("九个字的密码太短了")}) {
    INFO(bad);
    CHECK_FALSE(check_password(bad));
  }
  CHECK(check_password("nine char").error().what == "the password has 9 characters, expected at least 10");
}

TEST_CASE("a login that does not exist takes as long as a wrong password") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  People people(fixture.pool);
  const auto invited = people.invite({{"ada", "Ada"}, {"grace", "Grace"}}, kDay);
  REQUIRE(*people.accept(invited->front().token, kPassword));
  // The least of several: a busy machine only ever adds.
  double known = 1e9, unknown = 1e9, not_joined = 1e9;
  for (int i = 0; i < 7; ++i) {
    known = std::min(known, seconds_of([&] { CHECK_FALSE(*people.sign_in("ada", "wrong")); }));
    unknown = std::min(unknown, seconds_of([&] { CHECK_FALSE(*people.sign_in("nobody", "wrong")); }));
    not_joined = std::min(not_joined, seconds_of([&] { CHECK_FALSE(*people.sign_in("grace", "wrong")); }));
  }
  INFO("known " << known << " s, unknown " << unknown << " s, not joined " << not_joined << " s");
  CHECK(unknown > 0.7 * known);
  CHECK(unknown < 1.4 * known);
  CHECK(not_joined > 0.7 * known);
  CHECK(not_joined < 1.4 * known);
}

TEST_CASE("a session is found by its token until it ends") {
  WARPBOOK_NEEDS_POSTGRES();
  ClassFixture fixture;
  Sessions sessions(fixture.pool);
  const std::int64_t ada = fixture.joined("ada"), grace = fixture.joined("grace", Role::kInstructor);
  const auto a = sessions.begin(ada), b = sessions.begin(ada), c = sessions.begin(grace);
  REQUIRE((a && b && c));
  CHECK(a->size() == 43);
  const auto found = sessions.find(*a);
  REQUIRE(*found);
  CHECK((*found)->person.id == ada);
  CHECK((*sessions.find(*c))->person.role == Role::kInstructor);
  CHECK((*found)->csrf == (*sessions.find(*a))->csrf);
  std::set<std::string> tokens{(*found)->csrf, (*sessions.find(*b))->csrf, (*sessions.find(*c))->csrf, *a, *b, *c};
  CHECK(tokens.size() == 6);
  CHECK((*People(fixture.pool).find(ada))->last_seen_ms);
  CHECK((*found)->expires_ms > (*(*found)->person.last_seen_ms) + std::chrono::milliseconds(kSessionIdle).count() - 1000);

  for (const std::string& wrong : {std::string(), std::string(43, 'x'), *a + "x", std::string(100'000, 'x'), std::string(43, '\0')})
    CHECK_FALSE(*sessions.find(wrong));
  REQUIRE(sessions.end(*a));
  REQUIRE(sessions.end(*a));
  CHECK_FALSE(*sessions.find(*a));
  CHECK(*sessions.find(*b));

  REQUIRE(fixture.pool->run("UPDATE sessions SET expires_ms = 5"));
  CHECK_FALSE(*sessions.find(*b));
  REQUIRE(sessions.begin(ada));
  CHECK(fixture.pool->run("SELECT count(*) FROM sessions")->integer(0, 0) == 1);

  // However often it is used, one day it ends.
  const auto old = sessions.begin(ada);
  REQUIRE(fixture.pool->run("UPDATE sessions SET begun_ms = begun_ms - $1", {std::chrono::milliseconds(kSessionLongest).count() - 1000}));
  const auto last = sessions.find(*old);
  CHECK((*last)->expires_ms - *(*last)->person.last_seen_ms < 2000);
}

TEST_CASE("secrets are compared whole") {
  CHECK(same_secret("abc", "abc"));
  CHECK_FALSE(same_secret("abc", "abd"));
  CHECK_FALSE(same_secret("abc", "ab"));
  CHECK_FALSE(same_secret("", "a"));
  CHECK(same_secret("", ""));
}
