#include "judge/classroom/statistics.hpp"

#include <fmt/format.h>

#include "judge/grade/verdict.hpp"

namespace warpbook::classroom {
namespace {

using store::PostgresLease;
using store::SqlRows;

/// Ended attempts of learners of the class at task $1; `kind` is which of them: all, or the latest of each.
constexpr char kCounted[] =
    R"(WITH counted AS (
         SELECT {0} a.id, a.person, a.verdict, a.reason, a.mistake, a.mistake_sentence FROM attempts a JOIN people p ON p.id = a.person
         WHERE a.task = $1 AND a.finished_ms IS NOT NULL AND p.role = 'learner' AND p.removed_ms IS NULL {1}) )";

std::string counted(bool latest) {
  return latest ? fmt::format(kCounted, "DISTINCT ON (a.person)", "ORDER BY a.person, a.id DESC") : fmt::format(kCounted, "", "");
}

/// Rows of name, sentence, count.
Result<std::vector<Count>> counts(PostgresLease& lease, const std::string& sql, const std::string& task) {
  const Result<SqlRows> rows = lease.run(sql, {task});
  if (!rows) return rows.error();
  std::vector<Count> found;
  for (int i = 0; i < rows->size(); ++i) found.push_back({rows->text(i, 0), rows->text(i, 1), static_cast<int>(rows->integer(i, 2))});
  return found;
}

constexpr const char* kOrder = " ORDER BY 3 DESC, 1";

Result<std::vector<CaseCount>> case_counts(PostgresLease& lease, bool latest, const std::string& task) {
  const Result<SqlRows> rows =
      lease.run(counted(latest) + fmt::format(R"(SELECT c.name, (array_agg(c.kind))[1], (array_agg(c.about))[1],
                                              count(*) FILTER (WHERE c.verdict <> '{0}'),
                                              count(*) FILTER (WHERE c.verdict NOT IN ('{0}', '{1}'))
                                       FROM counted a JOIN attempt_cases c ON c.attempt = a.id GROUP BY c.name ORDER BY min(c.place), 1)",
                                              grade::code_of(grade::Verdict::kJudgeError), grade::code_of(grade::Verdict::kAccepted)),
                {task});
  if (!rows) return rows.error();
  std::vector<CaseCount> found;
  for (int i = 0; i < rows->size(); ++i)
    found.push_back({rows->text(i, 0), rows->text(i, 1), rows->text(i, 2), static_cast<int>(rows->integer(i, 3)),
                     static_cast<int>(rows->integer(i, 4))});
  return found;
}

/// Puts a list into a field of the figures, or says why there is none.
template <class T>
Status take_in(Result<std::vector<T>> counted_list, std::vector<T>& into) {
  if (!counted_list) return counted_list.error();
  into = std::move(*counted_list);
  return Done{};
}

Result<AttemptFigures> figures_of(PostgresLease& lease, bool latest, const std::string& task) {
  AttemptFigures figures;
  const std::string from = counted(latest);
  const auto list = [&](const std::string& select) { return counts(lease, from + select + kOrder, task); };
  if (Status ok = take_in(list("SELECT verdict, '', count(*) FROM counted GROUP BY 1"), figures.verdicts); !ok) return ok.error();
  if (Status ok = take_in(list("SELECT reason, '', count(*) FROM counted WHERE coalesce(reason, '') NOT IN ('', 'none') GROUP BY 1"),
                          figures.reasons);
      !ok)
    return ok.error();
  if (Status ok = take_in(
          list("SELECT mistake, (array_agg(mistake_sentence))[1], count(*) FROM counted WHERE coalesce(mistake, '') <> '' GROUP BY 1"),
          figures.mistakes);
      !ok)
    return ok.error();
  if (Status ok = take_in(case_counts(lease, latest, task), figures.cases); !ok) return ok.error();
  for (const Count& verdict : figures.verdicts) figures.attempts += verdict.count;
  for (Count& reason : figures.reasons)
    if (const auto known = grade::find_reason(reason.name)) reason.sentence = grade::sentence_of(*known);
  return figures;
}

}  // namespace

Result<TaskStatistics> Statistics::of(const std::string& task) {
  Result<PostgresLease> lease = pool_->take();
  if (!lease) return lease.error();
  TaskStatistics statistics;
  statistics.task = task;
  Result<AttemptFigures> latest = figures_of(*lease, true, task);
  if (!latest) return latest.error();
  statistics.latest = std::move(*latest);
  Result<AttemptFigures> all = figures_of(*lease, false, task);
  if (!all) return all.error();
  statistics.all = std::move(*all);
  statistics.learners = statistics.latest.attempts;
  const std::string believed = fmt::format(
      R"(SELECT misconception, '', count(DISTINCT person) FROM (
           SELECT DISTINCT ON (a.person, a.question) a.person, a.misconception FROM answers a JOIN people p ON p.id = a.person
           WHERE a.task = $1 AND p.role = 'learner' AND p.removed_ms IS NULL ORDER BY a.person, a.question, a.id DESC) latest
         WHERE misconception <> '' GROUP BY 1{})",
      kOrder);
  if (Status ok = take_in(counts(*lease, believed, task), statistics.misconceptions); !ok) return ok.error();
  return statistics;
}

}  // namespace warpbook::classroom
