// The way of a source: look in the cache, lay out a scratch folder, build, keep the result or translate the messages.
#include "judge/toolchain/compile.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/run/process.hpp"
#include "judge/toolchain/cache.hpp"
#include "judge/toolchain/halves.hpp"
#include "judge/toolchain/key.hpp"
#include "judge/toolchain/line_table.hpp"
#include "judge/toolchain/messages.hpp"
#include "judge/toolchain/native.hpp"
#include "judge/toolchain/reach.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kLargestPtx = 256u << 20;

// --- warnings, kept beside a result ---

std::string to_note(const std::vector<Diagnostic>& warnings) {
  json all = json::array();
  for (const Diagnostic& one : warnings)
    all.push_back({{"severity", static_cast<int>(one.severity)},
                   {"file", one.file},
                   {"line", one.line},
                   {"column", one.column},
                   {"message", one.message},
                   {"source", one.source_line}});
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<Diagnostic> from_note(const std::string& note) {
  std::vector<Diagnostic> warnings;
  const json all = json::parse(note, nullptr, false);
  if (!all.is_array()) return warnings;
  for (const json& one : all)
    warnings.push_back({static_cast<Severity>(one.value("severity", 0)), one.value("file", ""), one.value("line", 0),
                        one.value("column", 0), one.value("message", ""), one.value("source", "")});
  return warnings;
}

// --- outcomes ---

/// The tools word a full disk in several ways; gcc, which notices it only when it closes a file, says "when writing output to".
bool says_disk_is_full(std::string_view said) {
  const std::string_view words[] = {"No space left on device", "Disk quota exceeded", "when writing output to"};
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view one) { return said.find(one) != std::string_view::npos; });
}

CompileOutcome rejected(std::string summary, std::vector<Diagnostic> diagnostics = {}) {
  CompileOutcome outcome;
  outcome.failure = {true, std::move(diagnostics), std::move(summary)};
  return outcome;
}

/// A failure of ours or of this machine.
CompileOutcome failed(std::string summary) {
  CompileOutcome outcome;
  if (says_disk_is_full(summary)) summary = "the disk is full: nothing can be compiled until there is room";
  outcome.failure = {false, {}, std::move(summary)};
  return outcome;
}

CompileOutcome succeeded(const Entry& entry, const std::string& hash) {
  CompileOutcome outcome;
  outcome.ok = true;
  outcome.artifact.library = entry.folder / kLibrary;
  outcome.artifact.ptx = entry.folder / kDevicePtx;
  outcome.artifact.hash = hash;
  outcome.artifact.warnings = from_note(entry.note);
  return outcome;
}

/// An error of this machine's installation, which no change of the learner's file can mend.
bool is_of_the_installation(const Diagnostic& diagnostic) {
  return diagnostic.file == "<command-line>" || diagnostic.file == "<built-in>" ||
         diagnostic.message.find("unsupported GNU version") != std::string::npos ||
         diagnostic.message.find("unsupported clang version") != std::string::npos;
}

std::string all_text(const Part& part) {
  std::string text;
  for (const Said& said : part.said) text += said.text;
  return text;
}

/// The first lines of what a tool said that nobody understood.
std::string excerpt(const std::string& said) {
  constexpr std::size_t kLines = 5;
  std::string text;
  std::size_t count = 0;
  for (const std::string& line : split_lines(said))
    if (line.find_first_not_of(" \t") != std::string::npos && count++ < kLines) text += "\n" + line;
  return text;
}

std::string count_of(std::size_t errors) { return fmt::format("{} compile error{}", errors, errors == 1 ? "" : "s"); }

/// What to say about the part that stopped.
CompileOutcome explain(const Part& part, const Text& text, double time_limit) {
  const Stop& stop = *part.stop;
  const std::string said = presentable(all_text(part), text);
  if (stop.reason == StopReason::kInterrupted) return failed("interrupted");
  if (stop.reason == StopReason::kTimeLimit) return rejected(fmt::format("compiling took longer than {:g} s", time_limit));
  if (stop.reason == StopReason::kNotStarted) return failed(fmt::format("the toolkit is not complete: {}", stop.details));
  if (says_disk_is_full(said)) return failed(said);
  std::vector<Diagnostic> diagnostics = read_messages(part.said, text);
  const auto is_error = [](const Diagnostic& one) { return one.severity == Severity::kError; };
  const auto broken = std::find_if(diagnostics.begin(), diagnostics.end(), is_of_the_installation);
  if (broken != diagnostics.end())
    return failed(
        fmt::format("the toolkit and the host compiler do not fit: {} (NVCC_CCBIN may name another host compiler)", broken->message));
  const auto errors = static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(), is_error));
  if (errors > 0) return rejected(count_of(errors), std::move(diagnostics));
  return failed(fmt::format("{} failed with {}{}", stop.tool, stop.details, excerpt(said)));
}

/// The part to talk about: the device half first (it reads the whole file), and never one that only stopped because another did.
const Part& part_to_explain(const Built& built) {
  const Part* const parts[] = {&built.device, &built.host, &built.link};
  for (const Part* part : parts)
    if (part->stop && part->stop->reason != StopReason::kCancelled) return *part;
  return built.device;
}

/// The translation unit. Its first line makes every message, every `.loc` and __FILE__ speak of the learner's file.
std::string unit_text(const Source& source) {
  const auto line_directive = [](const std::string& name) {
    std::string quoted;
    for (const char c : name) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c == '\n' ? ' ' : c;
    }
    return "#line 1 \"" + quoted + "\"\n";
  };
  std::string unit = source.prelude + line_directive(source.shown_name) + source.text;
  if (source.glue.empty()) return unit;
  return unit + "\n" + line_directive(kGlueName) + source.glue + "\n";
}

/// nvcc's list of commands: from the cache, else asked now. An error means that nvcc must do the work itself.
Result<Plan> plan_for(const Toolkit& toolkit, const Cache& cache, Steps& steps, const std::string& toolchain_key) {
  const std::string name = "plan-" + toolchain_key;
  if (const std::optional<Entry> known = cache.find(name)) return parse_plan(known->note);
  Words words = {toolkit.nvcc.string(), "--dryrun", "--keep", "--keep-dir", "."};
  words.insert(words.end(), common_flags().begin(), common_flags().end());
  words.insert(words.end(), {"-c", kUnit, "-o", kUnitHostObject});
  Part part;
  if (!steps.run(words, Speaker::kDriver, part)) return Error{fmt::format("nvcc --dryrun failed with {}", part.stop->details)};
  const std::string listing = all_text(part);
  Result<Plan> plan = parse_plan(listing);
  if (plan && !cache.publish(name, steps.folder(), {}, listing)) return plan;  // asked again next time
  return plan;
}

/// The file that the source draws in and may not; read from all preprocessed text in `folder`.
Result<std::optional<std::string>> file_out_of_reach(const Toolkit& toolkit, const std::vector<fs::path>& include, const fs::path& folder) {
  constexpr std::uint64_t kLargestPreprocessed = 1u << 30;
  const std::vector<fs::path> allowed = allowed_folders(toolkit, include, folder);
  bool any = false;
  for (const fs::path& place : {folder, folder / kKeptFolder}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place, error)) {
      if (entry.path().extension() != ".ii") continue;
      any = true;
      const Result<std::string> preprocessed = read_file(entry.path(), kLargestPreprocessed);
      if (!preprocessed) return preprocessed.error();
      if (std::optional<std::string> found = outside(*preprocessed, allowed, folder)) return found;
    }
  }
  if (!any) return Error{"this toolkit left no preprocessed text, so that what the file includes is not known"};
  return std::optional<std::string>();
}

/// As tools need them that run in another folder.
CompileOptions with_absolute_folders(CompileOptions options) {
  for (fs::path& folder : options.include) folder = fs::absolute(folder);
  return options;
}

}  // namespace

std::string artifact_hash(const Toolkit& toolkit, const Source& source, const CompileOptions& options) {
  const CompileOptions here = with_absolute_folders(options);
  const Keys keys = make_keys(toolkit, source, here, {});
  return keys.repeatable ? keys.whole : "";
}

CompileOutcome compile(const Toolkit& toolkit, const Source& source, const CompileOptions& options) {
  const auto started = std::chrono::steady_clock::now();
  const auto timed = [&](CompileOutcome outcome) {
    outcome.artifact.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return outcome;
  };
  const Cache cache(fs::absolute(options.cache));
  const CompileOptions here = with_absolute_folders(options);
  const std::vector<int> native = source.native ? native_capabilities(toolkit, cache, here.cache) : std::vector<int>{};

  // Nothing changed: the result is there.
  Keys keys = make_keys(toolkit, source, here, native);
  if (!keys.repeatable) {
    // A name of its own: the result needs a place, but nobody may find it there.
    keys.whole =
        HashBuilder().add("once", fmt::format("{} {}", ::getpid(), started.time_since_epoch().count())).add("whole", keys.whole).hex();
    keys.host.clear();
  }
  if (const std::optional<Entry> known = cache.find("unit-" + keys.whole)) {
    CompileOutcome outcome = succeeded(*known, keys.whole);
    outcome.artifact.from_cache = outcome.artifact.host_from_cache = true;
    return timed(std::move(outcome));
  }

  // A folder to work in.
  Result<Scratch> scratch = Scratch::make(here.cache);
  if (!scratch) return failed(scratch.error().text());
  const fs::path folder = scratch->folder();
  if (const Status written = write_scratch(folder / kUnit, unit_text(source)); !written) return failed(written.error().what);
  Text text{source.shown_name, split_lines(source.text), {}, folder.string()};

  // Build.
  Steps asking(folder, {}, here.time_limit_seconds);
  const Result<Plan> plan = plan_for(toolkit, cache, asking, keys.toolchain);
  if (run::interrupted()) return failed("interrupted");
  const Job job{&toolkit, plan ? &*plan : nullptr, &cache, here.include, keys.host, keys.flags, native, keys.by_architecture};
  Steps steps(folder, plan ? plan->environment : std::map<std::string, std::string>(), here.time_limit_seconds);
  const Built built = plan ? build_by_steps(steps, job) : build_by_nvcc(steps, job);
  if (const Result<std::string> ptx = read_file(folder / kUnitPtx, kLargestPtx)) text.ptx = *ptx;
  if (!built.ok()) return timed(explain(part_to_explain(built), text, here.time_limit_seconds));

  // Only what is within reach.
  const Result<std::optional<std::string>> beyond = file_out_of_reach(toolkit, here.include, folder);
  if (!beyond) return failed(beyond.error().text());
  if (*beyond) return timed(rejected(count_of(1), {complaint_about(**beyond, text)}));

  // Keep.
  std::error_code error;
  fs::rename(folder / kUnitPtx, folder / kDevicePtx, error);
  if (error) return failed(fmt::format("the PTX cannot be kept: {}", error.message()));
  const std::vector<Diagnostic> warnings = read_messages(built.device.said, text);
  const Result<Entry> entry = cache.publish("unit-" + keys.whole, folder, {kLibrary, kDevicePtx}, to_note(warnings));
  if (!entry) return failed(fmt::format("the compiled file cannot be kept: {}", presentable(entry.error().text(), text)));
  CompileOutcome outcome = succeeded(*entry, keys.whole);
  outcome.artifact.host_from_cache = built.host_from_cache;
  return timed(std::move(outcome));
}

}  // namespace warpbook::toolchain
