#pragma once
// What a class has and a single learner has not: people, sessions, a database, limits. A service without one is the form for one learner.
#include <memory>
#include <string>

#include "judge/classroom/gradebook.hpp"
#include "judge/classroom/overrides.hpp"
#include "judge/classroom/people.hpp"
#include "judge/classroom/second_verdicts.hpp"
#include "judge/classroom/sessions.hpp"
#include "judge/classroom/statistics.hpp"
#include "judge/classroom/submissions.hpp"
#include "judge/serve/class_config.hpp"
#include "judge/serve/guard.hpp"
#include "judge/serve/known_sessions.hpp"
#include "judge/serve/limits.hpp"
#include "judge/store/postgres.hpp"

namespace warpbook::serve {

/// How long an invitation is good.
inline constexpr std::chrono::hours kInvitationValid{14 * 24};

/// Requests of an address whose people are not signed in.
inline constexpr int kStrangersPerSecond = 60;

/// Streams of events that one person may have open: a lesson has two while it runs, so eight tabs.
inline constexpr int kStreamsEach = 16;

class ClassDesk {
 public:
  /// Connects, brings the schema up to date, makes the folder of the learners' files. Errors: those of the database, a folder that cannot
  /// be written.
  static Result<std::unique_ptr<ClassDesk>> open(ClassConfig config);

  /// Once, when the port is known: the address of the class, where the file does not say it.
  void listens_on(int port);
  const OwnAddress& address() const { return address_; }
  /// "https://course.example/invitations/TOKEN"
  std::string link_of(const classroom::Invitation& invitation) const { return address_.origin + "/invitations/" + invitation.token; }

  /// Whether the database answers. Waits a few seconds at most.
  bool reachable() const { return static_cast<bool>(pool->run("SELECT 1")); }
  /// 503 when the database does not answer, 500 when it does and says something unexpected.
  Answer failure_of(const Error& error) const;
  /// Who sits behind a request, for limits of who is not signed in: the peer, or whom a proxy on this machine names.
  std::string address_of(const Request& request) const;

  const ClassConfig config;
  const std::shared_ptr<store::PostgresPool> pool;
  classroom::People people;
  classroom::Sessions sessions;
  classroom::Overrides overrides;
  classroom::Gradebook gradebook;
  classroom::Statistics statistics;
  classroom::Submissions submissions;
  classroom::SecondVerdicts second_verdicts;
  KnownSessions known_sessions;

  Buckets requests, requests_of_strangers;  ///< by person, by address
  Buckets runs, traces;                     ///< by person
  Buckets wrong_logins,
      wrong_addresses;  ///< tries that failed: passwords and links
  Places streams{kStreamsEach};  ///< by person

 private:
  ClassDesk(ClassConfig config, std::shared_ptr<store::PostgresPool> pool);
  OwnAddress address_;
};

}  // namespace warpbook::serve
