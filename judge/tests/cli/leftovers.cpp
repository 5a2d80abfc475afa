#include "judge/tests/cli/leftovers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <thread>

namespace warpbook::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kMomentToEnd{2000};
constexpr milliseconds kLook{10};

/// Files of /proc have no size, and a process may end while it is read: what cannot be read is empty.
std::string read_proc(const fs::path& path) {
  std::string text;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[1 << 14];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
  ::close(fd);
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

}  // namespace

std::vector<std::string> processes_of(const Home& home) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string pid = it->path().filename().string();
    if (!is_number(pid) || pid == std::to_string(::getpid())) continue;
    const std::string words = read_proc(it->path() / "cmdline");
    const bool ours = contains(words, home.folder().string()) || contains(read_proc(it->path() / "environ"), home.folder().string());
    if (ours) found.push_back(pid + " " + words);
  }
  return found;
}

bool wait_for(const std::function<bool()>& condition, milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

std::vector<std::string> leftover_processes(const Home& home) {
  std::vector<std::string> found;
  wait_for([&] { return (found = processes_of(home)).empty(); }, kMomentToEnd);
  return found;
}

std::vector<std::string> leftover_files(const Home& home) {
  // write_file() puts six random characters behind the name; Scratch puts tmp- before it.
  static const std::regex kTemporary(R"(tmp-.*|.*\.[A-Za-z0-9]{6})");
  static const std::regex kHonest(R"(.*\.sqlite)");
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(home.folder(), error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (std::regex_match(name, kTemporary) && !std::regex_match(name, kHonest)) found.push_back(it->path().string());
  }
  return found;
}

}  // namespace warpbook::cli
