#include "judge/serve/known_sessions.hpp"

namespace warpbook::serve {
namespace {
constexpr std::size_t kMostKept = 4096;
}

Result<std::optional<Who>> KnownSessions::find(classroom::Sessions& sessions, const std::string& token) {
  std::uint64_t forgotten = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(token);
    if (known != known_.end() && Clock::now() < known->second.until) return std::optional<Who>(known->second.who);
    forgotten = forgotten_;
  }
  const Result<std::optional<classroom::Session>> session = sessions.find(token);
  if (!session) return session.error();
  if (!*session) return std::optional<Who>();
  const classroom::Person& person = (*session)->person;
  const Who who{person.id, person.login, person.name, person.role == classroom::Role::kInstructor, (*session)->csrf};
  const std::lock_guard lock(mutex_);
  if (forgotten == forgotten_) {
    if (known_.size() >= kMostKept) known_.clear();
    known_[token] = {who, Clock::now() + kKept};
  }
  return std::optional<Who>(who);
}

void KnownSessions::forget(const std::string& token) {
  const std::lock_guard lock(mutex_);
  known_.erase(token);
  ++forgotten_;
}

void KnownSessions::forget_all() {
  const std::lock_guard lock(mutex_);
  known_.clear();
  ++forgotten_;
}

}  // namespace warpbook::serve
