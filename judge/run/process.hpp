#pragma once
// Child processes with limits. A child is the leader of a process group of its own: ending it ends everything it started.
// A child also ends with the *thread* that started it (the kernel's PR_SET_PDEATHSIG knows threads, not processes): start a child
// that outlives a function in a thread that lives as long.
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::run {

struct Limits {
  std::chrono::milliseconds wall{0};  ///< 0: none
  std::chrono::milliseconds cpu{0};   ///< 0: none (RLIMIT_CPU, rounded up to seconds, and checked exactly at the end)
  std::uint64_t memory = 0;           ///< address space in bytes, 0: none
  std::uint64_t output = 1u << 20;    ///< bytes kept of stdout and of stderr, the rest is read and dropped
  std::uint64_t file_size = 0;        ///< largest file written, 0: none
};

struct Command {
  std::vector<std::string> argv;  ///< argv[0] is searched in PATH unless it has a slash
  std::string folder;             ///< working folder; empty: the same
  std::map<std::string, std::string> set_environment;
  bool inherit_environment = true;        ///< false: the child sees only what set_environment says
  std::vector<std::pair<int, int>> pass;  ///< (descriptor here, number it has in the child)
  Limits limits;
};

enum class Ending { kExited, kSignalled, kWallLimit, kCpuLimit, kInterrupted };

struct Outcome {
  Ending ending = Ending::kExited;
  int code = 0;  ///< exit status or signal number
  std::string out, err;
  double wall_seconds = 0, cpu_seconds = 0;
  bool ok() const { return ending == Ending::kExited && code == 0; }
};

/// A child that runs beside us. Destroying it ends it and its group.
class Child {
 public:
  static Result<Child> start(const Command& command);
  /// A child of ours that somebody else started, as the leader of its group; `out` and `err` are our ends of its pipes, not blocking.
  static Child adopt(int pid, int out, int err, const Limits& limits);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  ~Child();
  int pid() const;
  /// Reads its output until it ends or a limit ends it.
  Outcome wait();
  /// True when it has ended; never blocks. Drains its output meanwhile.
  bool poll();
  /// What becomes readable when it prints or ends, for a poll() of the caller's own; changes as its outputs close.
  std::vector<int> descriptors() const;
  void kill();

 private:
  Child();
  struct State;
  State* state_;
};

/// Starts and waits.
Result<Outcome> run(const Command& command);

/// After SIGINT or SIGTERM: true. Every wait() then ends its child with Ending::kInterrupted. Installed once by main.
void install_interrupt_handler();
bool interrupted();

}  // namespace warpbook::run
