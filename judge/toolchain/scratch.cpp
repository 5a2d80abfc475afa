#include "judge/toolchain/scratch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;

// The name carries the process, so that what a kill -9 left behind can be told from what is in use. A cache that two containers share
// has process numbers of both: a folder must be old as well before it goes.
constexpr std::string_view kPrefix = "tmp-";
constexpr std::chrono::minutes kLongestUse{30};

bool process_is_gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

void sweep(const fs::path& cache) {
  std::error_code error;
  for (fs::directory_iterator it(cache, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    pid_t pid = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), pid);
    std::error_code ignored;
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(it->path(), ignored);
    if (pid > 0 && process_is_gone(pid) && age > kLongestUse) fs::remove_all(it->path(), ignored);
  }
}

}  // namespace

Scratch::Scratch(fs::path folder) : folder_(std::move(folder)) {}
Scratch::Scratch(Scratch&& other) noexcept : folder_(std::exchange(other.folder_, fs::path())) {}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<Scratch> Scratch::make(const fs::path& cache) {
  const auto refuse = [&](const char* reason) {
    return Error{fmt::format("the folder for compiled files cannot be used: {}", reason), {cache.string()}};
  };
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) return refuse(error.message().c_str());
  sweep(cache);
  // Absolute: the tools run inside it.
  std::string pattern = (fs::absolute(cache, error) / fmt::format("{}{}-XXXXXX", kPrefix, ::getpid())).string();
  if (error) return refuse(error.message().c_str());
  if (::mkdtemp(pattern.data()) == nullptr) return refuse(std::strerror(errno));
  // Without symbolic links: the tools ask getcwd() where they are, and what they say about that folder is recognised by its name.
  const fs::path real = fs::canonical(pattern, error);
  return Scratch(error ? fs::path(pattern) : real);
}

Status write_scratch(const fs::path& path, std::string_view bytes) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return Error{fmt::format("cannot be written: {}", std::strerror(errno)), {path.string()}};
  return Done{};
}

}  // namespace warpbook::toolchain
