#pragma once
// Single keys from the terminal, without echo and without waiting for a line. The terminal is put back when this object goes, and also
// when a signal ends the program: a shell that no longer echoes is a poor parting gift.
#include <termios.h>

#include <optional>

namespace warpbook::watch {

class Keys {
 public:
  /// Listens to `descriptor` when it is a terminal of which we are the foreground; otherwise there are no keys.
  explicit Keys(int descriptor);
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  bool listening() const { return listening_; }
  int descriptor() const { return listening_ ? descriptor_ : -1; }

  /// The next key that was pressed, if any; never waits. Nothing is left of a terminal that hung up: closed() says so.
  std::optional<char> pressed();
  bool closed() const { return closed_; }

  /// Back to how the terminal was, for output of programs that expect it so, and again to single keys.
  void pause();
  void resume();

 private:
  int descriptor_ = -1;
  bool listening_ = false, closed_ = false;
};

}  // namespace warpbook::watch
