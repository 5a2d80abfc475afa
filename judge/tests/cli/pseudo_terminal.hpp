#pragma once
// judge at a terminal of a test's own: keys can be typed, what is shown can be waited for.
#include <chrono>
#include <string>

#include "judge/run/process.hpp"

namespace warpbook::cli {

class PseudoTerminal {
 public:
  /// Starts the command with the terminal as its controlling one.
  explicit PseudoTerminal(const run::Command& command);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void type(const std::string& keys) const;
  /// Until `text` was shown so many times since the beginning; false when our patience ended or the program did.
  bool shows(const std::string& text, int times = 1);
  /// How often `text` was shown until now, and after waiting so long.
  int count(const std::string& text, std::chrono::milliseconds wait = std::chrono::milliseconds(0));
  /// Everything shown.
  const std::string& shown() const { return shown_; }
  /// Whether the terminal echoes and waits for whole lines, as a shell leaves it.
  bool is_as_it_was() const;
  void signal(int number) const;
  /// Waits for the end: the exit status, or -1 when a signal ended it or our patience did.
  int end();
  int pid() const { return pid_; }

 private:
  bool read_some(std::chrono::milliseconds wait);

  int master_ = -1, slave_ = -1, pid_ = -1;
  std::string shown_;
};

}  // namespace warpbook::cli
