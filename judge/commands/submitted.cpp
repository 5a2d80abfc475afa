#include "judge/commands/submitted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/task/splice.hpp"

namespace warpbook::commands {
namespace {

/// The compiler carries the name into its output and does not escape it there: a quote would end it.
std::string compilable_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '"' || c == '\\' || (c > 0 && c < ' '); }, '_');
  return name;
}

}  // namespace

Result<Submitted> read_submitted(const Context& context, const task::Task& task, const cxxopts::ParseResult& parsed) {
  Submitted submitted;
  submitted.reference = parsed.count("solution") > 0;
  std::filesystem::path file = submitted.reference ? task.solution : work_file(context, task);
  if (parsed.count("file") > 0) {
    if (submitted.reference) return Error{"--solution and a file are both given; one of them is meant"};
    file = parsed["file"].as<std::string>();
  }
  submitted.author = parsed.count("author") > 0;
  if (submitted.author && parsed.count("file") == 0)
    return Error{"--author needs the file that is meant, e.g. lessons/05-layernorm/wrong/n-minus-one.cu"};
  std::error_code ignored;
  if (parsed.count("file") == 0 && !submitted.reference && !std::filesystem::exists(file, ignored))
    return Error{fmt::format("{} is not there yet; begin with: judge start {}", shown_path(context, file), task.id)};
  Result<std::string> text = task::read_submission(file);
  if (!text) return std::move(text).error();
  submitted.submission.shown_name = compilable_name(shown_path(context, file));
  submitted.submission.text = std::move(*text);
  submitted.submission.trusted_whole = submitted.author;
  return submitted;
}

report::SourceLookup source_lookup(const grade::Submission& submission) {
  return [name = submission.shown_name, lines = split_lines(submission.text)](const std::string& file, int line) {
    return file == name && line > 0 && line <= static_cast<int>(lines.size()) ? lines[static_cast<std::size_t>(line) - 1] : std::string();
  };
}

}  // namespace warpbook::commands
