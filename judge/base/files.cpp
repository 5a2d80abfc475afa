#include "judge/base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "judge/base/descriptor.hpp"

namespace warpbook {
namespace {

Error file_error(const std::filesystem::path& path, std::string what) { return Error{std::move(what), Where{path.string(), 0, 0}}; }

Error system_error(const std::filesystem::path& path, const char* doing) {
  return file_error(path, fmt::format("{}: {}", doing, std::strerror(errno)));
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit) {
  // O_NONBLOCK: opening a fifo by mistake must not wait for a writer; fstat then refuses it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error(path, "cannot be opened");
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_error(path, "cannot be examined");
  if (S_ISDIR(info.st_mode)) return file_error(path, "is a directory, expected a file");
  if (!S_ISREG(info.st_mode)) return file_error(path, "is not a regular file");
  if (static_cast<std::uint64_t>(info.st_size) > limit)
    return file_error(path, fmt::format("is {} bytes long, at most {} are read", info.st_size, limit));
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, "cannot be read");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

Status write_file(const std::filesystem::path& named, std::string_view bytes) {
  // A link stays one, and what it leads to keeps its mode.
  std::error_code not_there;
  const std::filesystem::path led_to = std::filesystem::canonical(named, not_there);
  const std::filesystem::path path = not_there ? named : led_to;
  constexpr ::mode_t kUsual = 0644, kAnyWrite = 0222, kPermissions = 0777;
  struct ::stat found {};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (exists && (found.st_mode & kAnyWrite) == 0) return file_error(path, "is read-only, and stays as it is");
  std::error_code no_folder;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), no_folder);
  if (no_folder) return file_error(path, fmt::format("cannot be written, its folder cannot be made: {}", no_folder.message()));
  std::string temporary = path.string() + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return system_error(path, "cannot be written");
  const auto fail = [&](const char* doing) {
    Error error = system_error(path, doing);
    ::unlink(temporary.c_str());
    return error;
  };
  ::fchmod(file.get(), exists ? found.st_mode & kPermissions : kUsual);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t put = ::write(file.get(), bytes.data() + written, bytes.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail("cannot be written");
    written += static_cast<std::size_t>(put);
  }
  if (::fsync(file.get()) != 0) return fail("cannot be written to disk");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail("cannot be put in place");
  return Done{};
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::size_t text_length(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const std::size_t follow = c < 0x80 ? 0 : (c >= 0xC2 && c < 0xE0) ? 1 : (c >= 0xE0 && c < 0xF0) ? 2 : 3;
    const bool lead = c != 0 && (c < 0x80 || (c >= 0xC2 && c < 0xF5));
    if (!lead || i + follow >= bytes.size()) return i;
    for (std::size_t k = 1; k <= follow; ++k)
      if ((static_cast<unsigned char>(bytes[i + k]) & 0xC0) != 0x80) return i;
    i += 1 + follow;
  }
  return i;
}

bool is_text(std::string_view bytes) { return text_length(bytes) == bytes.size(); }

}  // namespace warpbook
