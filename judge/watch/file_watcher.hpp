#pragma once
// One file, and whether somebody saved it. Editors save in three ways: they write over the file, they truncate it and write it again, or
// they write another file and rename it into place. What all three have in common is what is looked at here: the name in its folder, its
// size and time, and in the end its content. inotify only wakes us earlier; a folder that has none (a network share, too many watches)
// is looked at several times a second.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpbook::watch {

class FileWatcher {
 public:
  enum class Way { kNotify, kPolling };
  /// kPolling when WARPBOOK_WATCH is "poll", else kNotify.
  static Way wanted_way();

  /// Watches `file`, which need not exist; its content now counts as seen. kNotify falls back to polling where inotify cannot be had.
  FileWatcher(std::filesystem::path file, Way way);
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  Way way() const { return descriptor_ < 0 ? Way::kPolling : Way::kNotify; }
  /// Readable when something happened in the folder; -1 when polling. For a poll() of the caller's own.
  int descriptor() const { return descriptor_; }
  /// How long the caller may wait before it looks again.
  std::chrono::milliseconds patience() const;

  /// Looks. True once for every content that came to rest: a file that is still being written, is empty or is away is waited for.
  bool saved();

 private:
  struct Stamp {
    std::uint64_t inode = 0, size = 0;
    std::int64_t modified_ns = 0;
    bool there = false;
    bool operator==(const Stamp&) const = default;
  };
  using Clock = std::chrono::steady_clock;

  Stamp look() const;
  void drain();

  std::filesystem::path file_;
  int descriptor_ = -1;
  Stamp stamp_;
  std::string seen_;                        ///< hash of the content that was last told of
  std::optional<Clock::time_point> moved_;  ///< when the stamp changed last; nothing: at rest
  bool being_written_ = false;              ///< somebody wrote and has not closed yet
};

}  // namespace warpbook::watch
