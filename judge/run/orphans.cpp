// A worker's group ends with the worker, but a worker can be killed together with the process that watches its group, and a child can
// leave the group (setsid). What is left then would fall to init and stay. A process that declares itself a "subreaper" gets such
// orphans instead, whatever group they are in, and can end them: one after another, until no new one turns up, because ending one makes
// orphans of its children. Rejected: a PID namespace, which does this better but needs rights that a learner's machine may not give.
#include "judge/run/orphans.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

namespace warpbook::run {
namespace {

namespace fs = std::filesystem;

/// "PID (NAME) STATE PARENT ...", where NAME may hold anything, also blanks and parentheses.
int parent_in(const std::string& stat) {
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return 0;
  const std::size_t state_end = stat.find(' ', name_end + 2);
  if (state_end == std::string::npos) return 0;
  int parent = 0;
  std::from_chars(stat.data() + state_end + 1, stat.data() + stat.size(), parent);
  return parent;
}

std::set<int> children() {
  std::set<int> found;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    int pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
    std::string stat;
    std::ifstream file(it->path() / "stat");
    std::getline(file, stat);
    if (parent_in(stat) == ::getpid()) found.insert(pid);
  }
  return found;
}

}  // namespace

Orphanage::Orphanage() : before_(children()) { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

Orphanage::~Orphanage() {
  for (bool any = true; any;) {
    any = false;
    for (const int pid : children()) {
      if (before_.count(pid) > 0) continue;
      any = true;
      ::kill(pid, SIGKILL);
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

}  // namespace warpbook::run
