// Entries appear whole or not at all.
//
// An entry is a folder. It is put together under a temporary name on the same disk and then renamed: whoever looks sees nothing or
// everything, so no lock is needed (locks would have to survive kill -9 and network drives). A rename onto a folder that exists fails;
// then somebody else made the same thing meanwhile, and theirs is as good as ours.
//
// Machines lose power and disks fill up after the rename, too. Each entry therefore holds a manifest of its files' sizes and hashes;
// find() reads the files (some 50 kB) and compares. An entry that does not agree is not there; the next publish() moves it aside.
//
// Nothing is ever overwritten in place: a process that has opened an old library keeps its bytes.
#include "judge/toolchain/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kManifest = "manifest.json";
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;

// An entry takes some 60 kB; when there are more than this many, the half that was used longest ago goes.
constexpr std::size_t kMostEntries = 4000;
constexpr std::chrono::hours kSurelyInUse{2};

/// True when `folder` holds all that its manifest says; fills `note`.
bool is_whole(const fs::path& folder, std::string& note) {
  const Result<std::string> text = read_file(folder / kManifest);
  if (!text) return false;
  const json manifest = json::parse(*text, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object() || !manifest.contains("note") ||
      !manifest["note"].is_string())
    return false;
  for (const auto& [name, what] : manifest["files"].items()) {
    if (!what.is_object() || !what.contains("size") || !what.contains("hash") || !what["hash"].is_string()) return false;
    const Result<std::string> bytes = read_file(folder / name, kLargestFile);
    if (!bytes || what["size"] != bytes->size() || what["hash"] != content_hash(*bytes)) return false;
  }
  note = manifest["note"].get<std::string>();
  return true;
}

void forget_old_entries(const fs::path& cache) {
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  std::error_code error, ignored;
  for (fs::directory_iterator it(cache, error), end; !error && it != end; it.increment(error))
    if (const auto used = fs::last_write_time(it->path() / kManifest, ignored); !ignored) entries.emplace_back(used, it->path());
  if (entries.size() <= kMostEntries) return;
  std::sort(entries.begin(), entries.end());
  entries.resize(entries.size() / 2);
  for (const auto& [used, path] : entries)
    if (fs::file_time_type::clock::now() - used > kSurelyInUse) fs::remove_all(path, ignored);
}

Error cannot(const char* doing, const fs::path& path, const std::error_code& error) {
  return Error{fmt::format("{}: {}", doing, error.message()), {path.string()}};
}

}  // namespace

Cache::Cache(fs::path folder) : folder_(std::move(folder)) {}

std::optional<Entry> Cache::find(const std::string& name) const {
  Entry entry{folder_ / name, {}};
  if (!is_whole(entry.folder, entry.note)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(entry.folder / kManifest, fs::file_time_type::clock::now(), ignored);
  return entry;
}

Result<Entry> Cache::publish(const std::string& name, const fs::path& from, const std::vector<std::string>& files,
                             const std::string& note) const {
  std::error_code error, ignored;
  const fs::path staged = from / ("entry-" + name);
  fs::create_directories(staged, error);
  if (error) return cannot("cannot be made", staged, error);
  json manifest = {{"note", note}, {"files", json::object()}};
  for (const std::string& file : files) {
    const Result<std::string> bytes = read_file(from / file, kLargestFile);
    if (!bytes) return bytes.error();
    manifest["files"][file] = {{"size", bytes->size()}, {"hash", content_hash(*bytes)}};
    fs::rename(from / file, staged / file, error);
    if (error) return cannot("cannot be moved", from / file, error);
  }
  if (Status written = write_scratch(staged / kManifest, manifest.dump(1)); !written) return std::move(written).error();

  const fs::path target = folder_ / name;
  constexpr int kTries = 5;  // each failure means that another process made or removed the entry in between
  for (int i = 0; i < kTries; ++i) {
    fs::rename(staged, target, error);
    if (!error) {
      forget_old_entries(folder_);
      return Entry{target, note};
    }
    if (std::optional<Entry> theirs = find(name)) return *theirs;
    // Theirs is damaged: change places with it, so that the name is never without an entry; ours takes the damaged one away.
    if (::renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return Entry{target, note};
    fs::rename(target, from / fmt::format("damaged-{}-{}", name, i), ignored);  // a file system that cannot exchange
  }
  return cannot("cannot be put in place", target, error);
}

}  // namespace warpbook::toolchain
