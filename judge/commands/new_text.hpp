#pragma once
// The words of a lesson or problem that is still to be written. Every place that waits for its author says TODO, which `judge lint` lists.
#include <string>
#include <vector>

#include "common/operators/operator.hpp"
#include "judge/task/task.hpp"

namespace warpbook::commands {

/// What `judge new` was asked for.
struct NewTask {
  std::string id;
  task::TaskKind kind = task::TaskKind::kLesson;
  const operators::Operator* op = nullptr;
};

/// A manifest made from that of `donor`, whose cases, blanks and promises stay: the id, the title, what it requires, hints and questions
/// are new. `donor_text` is the donor's manifest.
std::string manifest_from(const NewTask& wanted, const std::string& donor_text, const task::Task& donor);

/// A manifest for an operator that no task computes yet: four normal and eight boundary cases, one blank.
std::string first_manifest(const NewTask& wanted);
/// The .cu that goes with it; `filled` is what stands in its blank (nothing: an empty blank; of a problem: the whole kernel).
std::string first_source(const NewTask& wanted, const std::string& filled);
/// The headers of submissions that are still to be written, for the cases of first_manifest(): first_source() fails in all of them.
std::string first_wrong_header();
std::string first_correct_header();

/// lesson.md or problem.md in the shape of lessons/STYLE.md; `region` is one of the solution's, shown by name.
std::string text_to_write(const NewTask& wanted, const std::string& region);
std::string figure_to_draw(const NewTask& wanted);

}  // namespace warpbook::commands
