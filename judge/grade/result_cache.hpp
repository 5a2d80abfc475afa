#pragma once
// What a submission got, kept for the author's gate: a lesson is verified many times while one of its files changes. A result is found
// again only when nothing that it follows from has changed: the compiled submission, the manifest, the seed, the orders, and the judge
// itself down to the last byte of its programs. What a machine's speed decides is never kept, nor is a failure of the judge.
#include <optional>

#include "judge/grade/submission.hpp"
#include "judge/task/task.hpp"

namespace warpbook::grade {

class ResultCache {
 public:
  /// `folder` is made when something is kept. A judge whose own files cannot be read keeps and finds nothing.
  ResultCache(std::filesystem::path folder, const task::Task& task, const GradeOptions& options);

  /// The cases of the submission with this artifact; nothing when they were never run by this judge.
  std::optional<SubmissionResult> find(const SubmissionResult& built, bool every_order) const;
  void keep(const SubmissionResult& result, bool every_order) const;

 private:
  std::filesystem::path file_of(const SubmissionResult& built, bool every_order) const;

  std::filesystem::path folder_;
  std::string key_;  ///< of everything but the submission; empty: off
};

}  // namespace warpbook::grade
