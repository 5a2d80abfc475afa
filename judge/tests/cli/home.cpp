#include "judge/tests/cli/home.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/transcript.hpp"

namespace warpbook::cli {
namespace {

namespace fs = std::filesystem;

/// No run of these tests takes a tenth of it on an idle machine.
constexpr std::chrono::minutes kPatience{4};
constexpr std::uint64_t kKeptOutput = 8u << 20;

}  // namespace

Home::Home(const std::string& name, Cache cache) {
  folder_ = outer_ / name;
  fs::create_directories(folder_ / "work");
  for (const char* part : {"lessons", "exercises", "solutions", "common"})
    fs::create_symlink(fs::path(WARPBOOK_SOURCE_DIR) / part, folder_ / part);
  if (cache == Cache::kOwn) return;
  const fs::path shared = fs::path(WARPBOOK_BINARY_DIR) / "cli-cache";
  fs::create_directories(shared);
  fs::create_symlink(shared, this->cache());
}

Home::~Home() {
  std::error_code ignored;
  fs::permissions(folder_ / "work", fs::perms::owner_all, ignored);
}

run::Command Home::command(const Words& arguments) const {
  run::Command command;
  command.argv = {WARPBOOK_JUDGE};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.folder = folder_.string();
  command.set_environment = {{"WARPBOOK_HOME", folder_.string()}, {"WARPBOOK_LANG", "en"}};
  command.limits.wall = kPatience;
  command.limits.output = kKeptOutput;
  return command;
}

Said Home::judge(const Words& arguments) const { return finish(command(arguments)); }

fs::path Home::write(const fs::path& relative, const std::string& text) const {
  REQUIRE(write_file(at(relative), text));
  return at(relative);
}

std::string Home::read(const fs::path& relative) const {
  constexpr std::uint64_t kLargest = 64u << 20;
  const Result<std::string> text = read_file(at(relative), kLargest);
  REQUIRE(text);
  return *text;
}

bool Home::exists(const fs::path& relative) const {
  std::error_code ignored;
  return fs::exists(at(relative), ignored);
}

fs::path Home::own_lesson(const std::string& id) const {
  const fs::path original = fs::path(WARPBOOK_SOURCE_DIR) / "lessons";
  fs::remove(at("lessons"));
  fs::create_directory(at("lessons"));
  for (const auto& entry : fs::directory_iterator(original))
    if (entry.path().filename() != id) fs::create_symlink(entry.path(), at("lessons") / entry.path().filename());
  fs::copy(original / id, at("lessons") / id, fs::copy_options::recursive);
  return at("lessons") / id;
}

Said said(const run::Outcome& outcome) {
  const int status = outcome.ending == run::Ending::kExited ? outcome.code : -1;
  remember(fmt::format("{}{}status {}\n", outcome.out, outcome.err, status));
  return {status, outcome.out, outcome.err, outcome.wall_seconds};
}

Said finish(const run::Command& command) {
  const Result<run::Outcome> outcome = run::run(command);
  REQUIRE(outcome);
  remember(fmt::format("$ {}\n", fmt::join(command.argv, " ")));
  return said(*outcome);
}

std::string repository_text(const fs::path& relative) {
  const Result<std::string> text = read_file(fs::path(WARPBOOK_SOURCE_DIR) / relative);
  REQUIRE(text);
  return *text;
}

run::Command without_privileges(run::Command command) {
  // Root passes over permissions by two capabilities; without them it is a user who owns its files.
  if (::geteuid() == 0) command.argv.insert(command.argv.begin(), {"setpriv", "--bounding-set", "-dac_override,-dac_read_search"});
  return command;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count_lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace warpbook::cli
