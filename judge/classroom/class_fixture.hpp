#pragma once
// For tests: a class with a database of its own.
#include <memory>
#include <string>

#include "judge/classroom/people.hpp"
#include "judge/store/postgres_schema.hpp"
#include "judge/store/postgres_store.hpp"
#include "judge/tests/postgres.hpp"

namespace warpbook::classroom {

struct ClassFixture {
  ClassFixture() {
    auto opened = store::PostgresPool::open(PostgresServer::shared().fresh_database(), 8);
    REQUIRE(opened);
    pool = *opened;
    REQUIRE(store::migrate(*pool));
  }

  /// Somebody with a password's place taken, without the tenth of a second that a real one takes.
  std::int64_t joined(const std::string& login, Role role = Role::kLearner) const {
    const auto added =
        pool->run("INSERT INTO people (login, login_key, name, role, password, added_ms) VALUES ($1, $2, $3, $4, 'none', 0) RETURNING id",
                  {login, login_key(login), "Name of " + login, name_of(role)});
    REQUIRE(added);
    return added->integer(0, 0);
  }
  /// An attempt that ended; its number.
  std::int64_t attempt(std::int64_t person, const std::string& task, const store::AttemptOutcome& outcome,
                       const std::string& source = "text") const {
    const auto learner = store::learner_store(pool, person);
    const auto id = learner->begin_attempt({task, "hash of " + source, 1, "vgpu", source});
    REQUIRE(id);
    REQUIRE(learner->finish_attempt(*id, outcome));
    return *id;
  }

  std::shared_ptr<store::PostgresPool> pool;
};

inline std::string why(const auto& result) { return result ? std::string() : result.error().what; }

}  // namespace warpbook::classroom
