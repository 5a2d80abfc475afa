#pragma once
// A workbook of a test's own: a temporary folder in which lessons, exercises, solutions and common are links into the repository and
// work/ is real. `judge` is run in it as a person would, as a program, and only its exit status and its words are looked at.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/run/process.hpp"
#include "judge/tests/temporary_folder.hpp"

namespace warpbook::cli {

using Words = std::vector<std::string>;

/// Exit statuses of the command contract.
inline constexpr int kAccepted = 0, kNotAccepted = 1, kUsage = 2, kCouldNot = 3;

/// What a run of judge left behind: its exit status (-1 when a signal or our patience ended it) and its words.
struct Said {
  int status = -1;
  std::string out, err;
  double seconds = 0;
};

class Home {
 public:
  /// Compiled files are shared with other tests and other days, in the build folder, unless a test needs a cache of its own.
  enum class Cache { kShared, kOwn };

  explicit Home(const std::string& name = "home", Cache cache = Cache::kShared);
  ~Home();
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path at(const std::filesystem::path& relative) const { return folder_ / relative; }
  std::filesystem::path cache() const { return folder_ / "work" / ".cache"; }

  /// `judge ARGUMENTS` with this workbook, its folder being the current one.
  run::Command command(const Words& arguments) const;
  Said judge(const Words& arguments) const;

  std::filesystem::path write(const std::filesystem::path& relative, const std::string& text) const;
  std::string read(const std::filesystem::path& relative) const;
  bool exists(const std::filesystem::path& relative) const;

  /// Puts a copy of a lesson in the place of the link to it; the manifest of the copy can be damaged.
  std::filesystem::path own_lesson(const std::string& id) const;

 private:
  TemporaryFolder outer_{"cli"};
  std::filesystem::path folder_;
};

/// Runs a command to its end.
Said finish(const run::Command& command);
Said said(const run::Outcome& outcome);

/// The text of a file of the repository.
std::string repository_text(const std::filesystem::path& relative);

/// A command that may do no more than its user's rights allow, also when that user is root.
run::Command without_privileges(run::Command command);

bool contains(const std::string& text, const std::string& part);
std::size_t count_lines(const std::string& text);

}  // namespace warpbook::cli
