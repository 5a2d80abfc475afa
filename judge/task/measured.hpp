#pragma once
// The learner's own figures inside questions: "{measured:plain: passes x read}" in a prompt, "measured:plain: passes x read" as a
// parameter's value. Who has not run the task yet is told to, and earns nothing for the question until then.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/task/claims.hpp"
#include "judge/task/task.hpp"

namespace warpbook::task {

/// In front of a figure's name.
inline constexpr std::string_view kMeasuredPrefix = "measured:";

/// The latest record of that name; `recorded` is oldest first.
std::optional<Measurement> latest_figure(const std::vector<Measurement>& recorded, std::string_view name);

/// A figure as questions show it, and as computed answers use it: whole counts without a fraction, passes and ratios with two digits
/// behind the point, what is smaller than that with three digits in all.
std::string figure_text(const Measurement& figure);

/// The names NAME that stand as {measured:NAME} in a text, in order.
std::vector<std::string> figures_in(std::string_view text);

/// Every figure a question needs: of its prompt, of its parameters, and the one it asks for; each once.
std::vector<std::string> figures_of(const Question& question);

/// Those of them that no run recorded.
std::vector<std::string> figures_lacking(const Question& question, const std::vector<Measurement>& recorded);

/// The text with figures in the place of {measured:NAME}; one that is missing becomes a request to run the task, in that language.
std::string fill_figures(std::string_view text, const std::vector<Measurement>& recorded, const std::string& task_id,
                         const std::string& language);

/// "(run it first: judge run 05-layernorm)"
std::string run_it_first(const std::string& task_id, const std::string& language);

/// Empty when a run of the task can record a figure of that name; otherwise what is wrong with it.
std::string figure_fault(const Task& task, std::string_view name);

}  // namespace warpbook::task
