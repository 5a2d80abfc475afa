#include "judge/serve/patient_store.hpp"

#include <utility>

namespace warpbook::serve {

template <class Call>
auto PatientStore::patiently(const Call& call) -> decltype(call()) {
  const auto until = std::chrono::steady_clock::now() + patience_.whole;
  auto answer = call();
  bool told = false;
  while (!answer && std::chrono::steady_clock::now() < until) {
    if (words_.reachable()) return call();
    if (!std::exchange(told, true)) words_.waiting();
    if (words_.give_up(patience_.between)) break;
    answer = call();
  }
  return answer;
}

Result<std::int64_t> PatientStore::begin_attempt(const store::NewAttempt& attempt) {
  Result<std::int64_t> id = patiently([&] { return behind_->begin_attempt(attempt); });
  if (!id) words_.lost(id.error());
  return id;
}

Status PatientStore::finish_attempt(std::int64_t id, const store::AttemptOutcome& outcome) {
  // The first try may have got through and only its answer not: an attempt that has ended is not ended again.
  Status done = patiently([&]() -> Status {
    Status ended = behind_->finish_attempt(id, outcome);
    if (ended) return ended;
    const Result<std::optional<store::Attempt>> there = behind_->attempt(id);
    if (there && *there && (*there)->finished_ms && (*there)->outcome.result_json == outcome.result_json) return Done{};
    return ended;
  });
  if (!done) words_.lost(done.error());
  return done;
}

Result<std::vector<store::Attempt>> PatientStore::attempts(const std::string& task, int limit) {
  return patiently([&] { return behind_->attempts(task, limit); });
}
Result<std::optional<store::Attempt>> PatientStore::attempt(std::int64_t id) {
  return patiently([&] { return behind_->attempt(id); });
}
Result<std::optional<std::string>> PatientStore::source(const std::string& hash) {
  return patiently([&] { return behind_->source(hash); });
}
Result<std::vector<store::RecordedMeasurement>> PatientStore::measurements(const std::string& task, int limit) {
  return patiently([&] { return behind_->measurements(task, limit); });
}
Result<store::Progress> PatientStore::progress(const std::string& task) {
  return patiently([&] { return behind_->progress(task); });
}
Result<std::vector<store::Progress>> PatientStore::all_progress() {
  return patiently([&] { return behind_->all_progress(); });
}
Result<int> PatientStore::hint_level(const std::string& task, const std::string& blank) {
  return patiently([&] { return behind_->hint_level(task, blank); });
}
Status PatientStore::record_hint(const store::ShownHint& hint) {
  return patiently([&] { return behind_->record_hint(hint); });
}
Result<std::vector<store::ShownHint>> PatientStore::hints_shown(const std::string& task, const std::string& blank) {
  return patiently([&] { return behind_->hints_shown(task, blank); });
}
Status PatientStore::record_solution_opened(const std::string& task) {
  return patiently([&] { return behind_->record_solution_opened(task); });
}
Status PatientStore::record_answers(const std::vector<store::AnsweredQuestion>& answers) {
  return patiently([&] { return behind_->record_answers(answers); });
}
Result<std::vector<store::AnsweredQuestion>> PatientStore::answers(const std::string& task) {
  return patiently([&] { return behind_->answers(task); });
}
Result<std::uint64_t> PatientStore::learner_seed() {
  return patiently([&] { return behind_->learner_seed(); });
}

}  // namespace warpbook::serve
