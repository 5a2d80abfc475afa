#pragma once
// Sessions looked up a moment ago. A page asks for ten things at once, and asking the database ten times who it is would be most of the
// work; also a limit that is checked only behind a query protects nobody. What ends a session here is forgotten here at once; what ends it
// by another server's hand is noticed within the two seconds that an entry is kept.
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "judge/classroom/sessions.hpp"
#include "judge/serve/http.hpp"

namespace warpbook::serve {

class KnownSessions {
 public:
  static constexpr std::chrono::seconds kKept{2};

  /// The session's person; nothing: there is no such session. Errors are the database's.
  Result<std::optional<Who>> find(classroom::Sessions& sessions, const std::string& token);
  void forget(const std::string& token);
  /// All of them: somebody was removed, or has another password.
  void forget_all();

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    Who who;
    Clock::time_point until;
  };
  std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::uint64_t forgotten_ = 0;  ///< changes with every forgetting: what was asked before is not kept after
};

}  // namespace warpbook::serve
