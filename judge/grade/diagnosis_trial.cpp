#include "judge/grade/diagnosis_trial.hpp"

#include <fmt/format.h>

#include "judge/base/files.hpp"
#include "judge/grade/grade.hpp"
#include "judge/grade/submission_header.hpp"

namespace warpbook::grade {

DiagnosisTrial try_diagnosis(const task::Task& task, const std::filesystem::path& file, const GradeOptions& options) {
  DiagnosisTrial trial;
  trial.file = file.filename().string();
  const Result<std::string> text = read_file(file);
  if (!text) {
    trial.problem = text.error().text();
    return trial;
  }
  const Result<SubmissionHeader> header = read_submission_header(trial.file, *text);
  if (!header || header->mistake_of.empty()) {
    trial.problem = header ? "its header has no `// mistake-of: NAME`" : header.error().text();
    return trial;
  }
  trial.truth = header->mistake_of;
  Submission submission;
  submission.shown_name = trial.file;
  submission.text = without_header(*text);
  submission.trusted_whole = true;
  const SubmissionResult result = grade_code(task, submission, options);
  if (result.accepted || result.cases.empty()) {
    trial.problem = result.accepted ? "every case accepts it" : fmt::format("{} {}", code_of(result.verdict), result.message);
    return trial;
  }
  trial.suspects = suspects(task, submission, result, options);
  const std::optional<Diagnosis> named = choose(trial.suspects);
  trial.named = named ? named->name : "none";
  return trial;
}

DiagnosisFigures count(const std::vector<DiagnosisTrial>& trials) {
  DiagnosisFigures figures;
  for (const DiagnosisTrial& t : trials) {
    if (!t.problem.empty()) continue;
    if (t.named == t.truth) ++figures.right;
    else if (t.named == "none") ++figures.silent;
    else ++figures.wrong;
  }
  return figures;
}

}  // namespace warpbook::grade
