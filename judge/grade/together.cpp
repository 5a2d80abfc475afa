#include "judge/grade/together.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/device/symbol_names.hpp"
#include "judge/grade/build.hpp"
#include "judge/grade/glue.hpp"
#include "judge/grade/pool.hpp"

namespace warpbook::grade {
namespace {

/// More make one process wait for another where there are many cores, and fewer compile the headers more often.
constexpr std::size_t kMostInGroup = 12;

struct Member {
  std::size_t index = 0;  ///< of the submission
  std::string name, text, hash;
};
using Group = std::vector<Member>;

std::string namespace_of(std::size_t member) { return fmt::format("{}{}", device::kMemberNamespace, member); }
std::string launch_of(std::size_t member) { return fmt::format("warpbook_launch_{}", member); }

bool is_include(std::string_view line) {
  const std::string_view directive = trimmed(line);
  return directive.starts_with('#') && trimmed(directive.substr(1)).starts_with("include");
}

std::string quoted(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '"' || c == '\\' || c == '\n'; }, '_');
  return '"' + name + '"';
}

/// One translation unit. Lines keep the names and numbers of their files.
Result<toolchain::Source> source_of(const task::Task& task, const Group& group) {
  toolchain::Source unit;
  unit.shown_name = task.id;
  std::vector<std::string> includes;
  std::string bodies;
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (const std::string& line : split_lines(group[i].text))
      if (is_include(line) && std::find(includes.begin(), includes.end(), line) == includes.end()) includes.push_back(line);
    bodies += fmt::format("namespace {} {{\n#line 1 {}\n{}\n}}\n", namespace_of(i), quoted(group[i].name), group[i].text);
    const Result<std::string> glue = launch_glue(task, launch_of(i), namespace_of(i));
    if (!glue) return glue.error();
    unit.glue += *glue;
  }
  unit.text = fmt::format("{}\n{}", fmt::join(includes, "\n"), bodies);
  return unit;
}

bool is_of(const Member& member, const toolchain::Diagnostic& warning) { return warning.file == member.name; }

/// The artifact of a group; nothing when its files have to be compiled one by one: for an error, and for a warning about none of them.
std::optional<toolchain::Artifact> compile_group(const task::Task& task, const Group& group, const GradeOptions& options) {
  const Result<toolchain::Source> unit = source_of(task, group);
  SubmissionResult said;
  std::optional<toolchain::Artifact> artifact = unit ? compile_unit(said, *unit, options) : std::nullopt;
  const auto is_known = [&](const toolchain::Diagnostic& warning) {
    return std::any_of(group.begin(), group.end(), [&](const Member& member) { return is_of(member, warning); });
  };
  if (artifact && !std::all_of(artifact->warnings.begin(), artifact->warnings.end(), is_known)) artifact.reset();
  return artifact;
}

/// What build_code() would have made of member `number`.
Built built_of(SubmissionResult begun, const toolchain::Artifact& artifact, const Member& member, std::size_t number) {
  Built built{std::move(begun), artifact, member.text};
  built.artifact->launch = launch_of(number);
  built.artifact->hash = built.result.provenance.artifact_hash = member.hash;
  std::erase_if(built.artifact->warnings, [&](const toolchain::Diagnostic& warning) { return !is_of(member, warning); });
  for (const toolchain::Diagnostic& warning : built.artifact->warnings) built.result.findings.push_back(finding_of(warning));
  built.result.compile_cached = artifact.from_cache;
  return built;
}

/// Groups of equal size; those that stay alone are left out.
std::vector<Group> grouped(std::vector<Member> members) {
  std::vector<Group> groups;
  if (members.size() < 2) return groups;
  const std::size_t count = (members.size() + kMostInGroup - 1) / kMostInGroup;
  groups.resize(count);
  for (std::size_t i = 0; i < members.size(); ++i) groups[i % count].push_back(std::move(members[i]));
  std::erase_if(groups, [](const Group& group) { return group.size() < 2; });
  return groups;
}

/// Lets processes of their own fill the cache, a few at once; one job needs no process.
void in_processes(std::size_t count, int jobs, const std::function<void(std::size_t)>& job) {
  if (count < 2 || jobs < 2) return;
  run_pool(
      static_cast<int>(count), {jobs, {}},
      [&](int i) {
        job(static_cast<std::size_t>(i));
        return std::string();
      },
      [](int, const JobEnd&) {});
}

Result<toolchain::Source> alone(const task::Task& task, const Submission& submission, const GradeOptions& options) {
  SubmissionResult said;
  const std::optional<task::SplicedSource> source = take_blanks(said, task, submission);
  if (!source) return Error{said.message};
  return unit_of(task, submission.shown_name, *source, options);
}

}  // namespace

bool fits_into_namespace(std::string_view text) {
  if (text.find("extern \"C\"") != std::string_view::npos) return false;
  for (const std::string& line : split_lines(text)) {
    const std::string_view directive = trimmed(line);
    if (!directive.starts_with('#') || is_include(directive)) continue;
    if (!trimmed(directive.substr(1)).starts_with("pragma unroll")) return false;
  }
  return true;
}

std::string hash_of_build(const task::Task& task, const Submission& submission, const GradeOptions& options) {
  const Result<toolchain::Source> unit = alone(task, submission, options);
  const Result<toolchain::CompileOptions> how = compile_options(options);
  return unit && how ? toolchain::artifact_hash(options.toolkit, *unit, *how) : "";
}

std::vector<Built> build_together(const task::Task& task, const std::vector<Submission>& submissions, const GradeOptions& options) {
  GradeOptions quiet = options;
  quiet.progress = nullptr;
  std::vector<Built> built(submissions.size());
  std::vector<Member> members;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    const Submission& s = submissions[i];
    if (!s.trusted_whole || options.device == DeviceKind::kGpu || !fits_into_namespace(s.text)) continue;
    std::string hash = hash_of_build(task, s, options);
    if (!hash.empty()) members.push_back({i, s.shown_name, s.text, std::move(hash)});
  }
  const std::vector<Group> groups = grouped(std::move(members));
  // What the processes compiled lies in the cache; here it is only fetched from there.
  in_processes(groups.size(), options.jobs, [&](std::size_t g) { compile_group(task, groups[g], quiet); });
  std::vector<bool> done(submissions.size(), false);
  for (const Group& group : groups) {
    const std::optional<toolchain::Artifact> artifact = compile_group(task, group, quiet);
    for (std::size_t i = 0; artifact && i < group.size(); ++i) {
      const std::size_t at = group[i].index;
      built[at] = built_of(begin_result(task, submissions[at], options), *artifact, group[i], i);
      done[at] = true;
    }
  }
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < submissions.size(); ++i)
    if (!done[i]) left.push_back(i);
  in_processes(left.size(), options.jobs, [&](std::size_t i) { build_code(task, submissions[left[i]], quiet); });
  for (const std::size_t i : left) built[i] = build_code(task, submissions[i], quiet);
  return built;
}

}  // namespace warpbook::grade
