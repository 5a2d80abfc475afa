#include "judge/watch/file_watcher.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"

namespace warpbook::watch {
namespace {

using std::chrono::milliseconds;

/// A content that stays this long is what the editor wanted: truncating and writing again takes less.
constexpr milliseconds kRest{60};
/// Whoever keeps a file open after writing to it (a logger, a lost close) is not waited for any longer.
constexpr milliseconds kLongestWrite{2000};
constexpr milliseconds kBetweenLooks{150};  ///< without inotify
constexpr milliseconds kSafetyNet{1000};    ///< with it: for folders whose events never come
constexpr milliseconds kUntilRest{20};

std::string content_of(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  return text && !text->empty() ? content_hash(*text) : std::string();
}

}  // namespace

FileWatcher::Way FileWatcher::wanted_way() {
  const char* wanted = std::getenv("WARPBOOK_WATCH");
  return wanted != nullptr && std::string_view(wanted) == "poll" ? Way::kPolling : Way::kNotify;
}

FileWatcher::FileWatcher(std::filesystem::path file, Way way) : file_(std::move(file)) {
  if (way == Way::kNotify) {
    descriptor_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    const std::filesystem::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
    // The folder and not the file: a rename puts another file in its place, and a watch would go away with the old one.
    constexpr std::uint32_t kEvents = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ATTRIB;
    if (descriptor_ >= 0 && ::inotify_add_watch(descriptor_, folder.c_str(), kEvents) < 0) {
      ::close(descriptor_);
      descriptor_ = -1;
    }
  }
  stamp_ = look();
  seen_ = content_of(file_);
}

FileWatcher::~FileWatcher() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

milliseconds FileWatcher::patience() const {
  if (moved_) return kUntilRest;
  return descriptor_ < 0 ? kBetweenLooks : kSafetyNet;
}

FileWatcher::Stamp FileWatcher::look() const {
  struct stat found {};
  if (::stat(file_.c_str(), &found) != 0) return {};
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {found.st_ino, static_cast<std::uint64_t>(found.st_size), found.st_mtim.tv_sec * kNanoseconds + found.st_mtim.tv_nsec, true};
}

void FileWatcher::drain() {
  if (descriptor_ < 0) return;
  const std::string name = file_.filename().string();
  constexpr std::size_t kBuffer = 16384;
  alignas(inotify_event) std::array<char, kBuffer> buffer;
  for (ssize_t got = 0; (got = ::read(descriptor_, buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < got;) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* of = buffer.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      if (event.len == 0 || name != of) continue;
      being_written_ = (event.mask & IN_MODIFY) != 0 || (being_written_ && (event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE)) == 0);
      moved_ = Clock::now();
    }
  }
}

bool FileWatcher::saved() {
  drain();
  const Stamp now = look();
  if (now != stamp_) {
    stamp_ = now;
    moved_ = Clock::now();
  }
  if (!moved_ || Clock::now() - *moved_ < (being_written_ ? kLongestWrite : kRest)) return false;
  moved_.reset();
  being_written_ = false;
  if (!now.there || now.size == 0) return false;
  const std::string content = content_of(file_);
  if (content.empty() || content == seen_) return false;
  seen_ = content;
  return true;
}

}  // namespace warpbook::watch
