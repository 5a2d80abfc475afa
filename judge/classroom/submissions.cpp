#include "judge/classroom/submissions.hpp"

#include <fmt/format.h>

#include "judge/classroom/person_row.hpp"
#include "judge/store/postgres_store.hpp"

namespace warpbook::classroom {
namespace {

using store::kAttemptColumnCount, store::SqlRows;  // columns of the attempt come first: attempt_at reads them there

Submission submission_at(const SqlRows& rows, int row) {
  Submission submission;
  submission.attempt = store::attempt_at(rows, row);
  submission.person = person_at(rows, row, kAttemptColumnCount);
  constexpr int kSource = kAttemptColumnCount + kPersonColumnCount;
  if (!rows.is_null(row, kSource)) submission.source = rows.text(row, kSource);
  return submission;
}

}  // namespace

Result<std::optional<Submission>> Submissions::find(std::int64_t attempt) {
  const Result<SqlRows> rows =
      pool_->run(fmt::format("SELECT {}, {}, s.source, a.result_json FROM attempts a JOIN people p ON p.id = a.person "
                             "LEFT JOIN sources s ON s.id = a.source WHERE a.id = $1",
                             store::kAttemptColumns, kPersonColumns),
                 {attempt});
  if (!rows) return rows.error();
  if (rows->empty()) return std::optional<Submission>();
  Submission found = submission_at(*rows, 0);
  found.attempt.outcome.result_json = rows->text(0, kAttemptColumnCount + kPersonColumnCount + 1);
  return std::optional<Submission>(std::move(found));
}

Result<std::vector<Submission>> Submissions::best(const std::string& task, const std::vector<std::int64_t>& people) {
  const Result<SqlRows> rows =
      pool_->run(fmt::format("SELECT {0}, {1}, s.source, (SELECT max(again.id) FROM attempts again WHERE again.judges_again = a.id) "
                             "FROM people p "
                             "JOIN reached r ON r.person = p.id AND r.task = $1 JOIN attempts a ON a.id = r.best "
                             "LEFT JOIN sources s ON s.id = a.source "
                             "WHERE p.removed_ms IS NULL AND p.role = 'learner' AND (cardinality($2::bigint[]) = 0 OR p.id = ANY ($2)) "
                             "ORDER BY p.name, p.login_key",
                             store::kAttemptColumns, kPersonColumns),
                 {task, store::SqlValue::list(people)});
  if (!rows) return rows.error();
  std::vector<Submission> found;
  for (int i = 0; i < rows->size(); ++i) {
    found.push_back(submission_at(*rows, i));
    found.back().judged_again = rows->maybe_integer(i, kAttemptColumnCount + kPersonColumnCount + 1);
  }
  return found;
}

}  // namespace warpbook::classroom
