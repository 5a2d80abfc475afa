// judge: the table of commands. What each does is in judge/commands/.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "judge/commands/command.hpp"
#include "judge/run/privacy.hpp"
#include "judge/run/process.hpp"

namespace {

using namespace warpbook;
using commands::Exit;

struct Entry {
  std::string_view name, arguments, about;
  commands::Function run;
};

constexpr std::array kCommands{
    Entry{"list", "[--json]", "progress, medals, and what is next", commands::list},
    Entry{"show", "TASK", "the text of a lesson or problem", commands::show},
    Entry{"start", "TASK", "copies the exercise to work/TASK/", commands::start},
    Entry{"run", "TASK [FILE]", "grades", commands::run},
    Entry{"exec", "FILE.cu|PROGRAM [-- ...]", "runs any CUDA program on the virtual GPU, with all checks", commands::exec},
    Entry{"trace", "TASK [FILE]", "writes a page on which one block can be stepped through", commands::trace},
    Entry{"bench", "TASK [FILE]", "on a GPU: time, GB/s, the share of a copy's, beside the reference", commands::bench},
    Entry{"export", "TASK [FILE] --to DIR", "a program with its cases, for a profiler or debugger on a GPU", commands::export_program},
    Entry{"watch", "TASK", "grades at every save", commands::watch},
    Entry{"hint", "TASK", "the next hint", commands::hint},
    Entry{"answer", "TASK", "the questions of a task", commands::answer},
    Entry{"solution", "TASK", "the reference solution, once it is open", commands::solution},
    Entry{"serve", "", "the workbook in a browser", commands::serve},
    Entry{"verify", "[TASK...]", "the author's gate: proves that tests earn their place", commands::verify},
    Entry{"new", "lesson|exercise SLUG", "a folder with which an author begins", commands::new_task},
    Entry{"lint", "[TASK...]", "advice for authors: what is weak in a lesson", commands::lint},
    Entry{"doctor", "", "what this machine can do, and how to add what it lacks", commands::doctor},
};

std::string help() {
  std::string text = "usage: judge COMMAND [ARGUMENTS]   (judge COMMAND --help tells more)\n\n";
  for (const Entry& e : kCommands) text += fmt::format("  {:30}{}\n", fmt::format("{} {}", e.name, e.arguments), e.about);
  return text +
         "\nTASK is an id or any unambiguous part of one: 05, layernorm\n"
         "--lang zh|en  language of lessons, hints and questions; otherwise WARPBOOK_LANG, LC_ALL, LC_MESSAGES or LANG decide\n";
}

/// The folder above lessons/: WARPBOOK_HOME, else the nearest one above the current folder, else where this program was built.
std::filesystem::path find_root(const std::filesystem::path& program_folder) {
  namespace fs = std::filesystem;
  if (const char* home = std::getenv("WARPBOOK_HOME"); home != nullptr && *home != '\0') return home;
  std::error_code ignored;
  for (const fs::path& from : {fs::current_path(ignored), program_folder})
    for (fs::path at = from; !at.empty(); at = at.parent_path()) {
      if (fs::is_directory(at / "lessons", ignored) && fs::is_directory(at / "exercises", ignored)) return at;
      if (at == at.root_path()) break;
    }
  return fs::current_path(ignored);
}

std::string find_language() {
  for (const char* name : {"WARPBOOK_LANG", "LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::string_view(value).starts_with("zh") ? "zh" : "en";
  }
  return "en";
}

/// Takes --lang LANGUAGE out of the arguments (up to "--", behind which they belong to a program) and returns the language; empty: none.
Result<std::string> take_language(commands::Arguments& arguments) {
  constexpr std::string_view kWord = "--lang", kWordWithValue = "--lang=";
  std::string language;
  for (auto at = arguments.begin(); at != arguments.end() && *at != "--";) {
    const bool joined = at->starts_with(kWordWithValue);
    if (!joined && *at != kWord) {
      ++at;
      continue;
    }
    if (!joined && at + 1 == arguments.end()) return Error{"--lang names no language, expected zh or en"};
    language = joined ? at->substr(kWordWithValue.size()) : *(at + 1);
    if (language != "zh" && language != "en") return Error{fmt::format("--lang is '{}', expected zh or en", language)};
    at = arguments.erase(at, at + (joined ? 1 : 2));
  }
  return language;
}

commands::Context make_context() {
  commands::Context context;
  std::error_code ignored;
  context.program_folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  context.root = find_root(context.program_folder);
  if (const char* own = std::getenv("WARPBOOK_WORK"); own != nullptr && *own != '\0') context.own = std::filesystem::absolute(own, ignored);
  context.out = report::style_for(STDOUT_FILENO);
  context.err = report::style_for(STDERR_FILENO);
  context.language = find_language();
  return context;
}

Exit dispatch(const std::string& name, commands::Arguments arguments) {
  const Result<std::string> language = take_language(arguments);
  if (!language) return commands::usage(language.error());
  commands::Context context = make_context();
  if (!language->empty()) context.language = *language;
  for (const Entry& e : kCommands)
    if (e.name == name) return e.run(context, arguments);
  if (name == "help" || name == "--help" || name == "-h") {
    commands::say(help());
    return Exit::kAccepted;
  }
  commands::complain(fmt::format("error: no command '{}'\n\n{}", name, help()));
  return Exit::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  run::install_interrupt_handler();
  run::hide_own_memory();
  // `judge --lang zh` alone is `judge list`, too.
  const bool named = argc > 1 && std::string_view(argv[1]).substr(0, 6) != "--lang";
  const std::string name = named ? argv[1] : "list";
  const commands::Arguments arguments(argv + (named ? 2 : std::min(argc, 1)), argv + argc);
  try {
    return static_cast<int>(dispatch(name, arguments));
  } catch (const std::exception& e) {
    // Expected failures are values; what arrives here is ours, and never a verdict.
    commands::complain(fmt::format("judge error: {}\n", e.what()));
    return static_cast<int>(Exit::kCouldNot);
  }
}
