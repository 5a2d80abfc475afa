// Headers, followed by their text alone.
//
// The compiler could list them (-MD), but only after it has run, and the question is whether to run it. So this reads `#include` lines
// as text, without minding `#if`: it may take in a header that the compiler skips, which costs at worst a needless compilation, and it
// never misses one, except where a macro names the file; then it says so and nothing is reused.
#include "judge/toolchain/includes.hpp"

#include <algorithm>
#include <set>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/base/text.hpp"

namespace warpbook::toolchain {
namespace {

namespace fs = std::filesystem;

/// Words by which a text gets at its own file or line, and libraries of the toolkit whose macros do.
bool tells_place(std::string_view text) {
  constexpr std::string_view kWords[] = {
      "__LINE__",           "__FILE", "_FILE__", "__COUNTER__", "source_location", "__builtin_LINE", "__builtin_FILE",
      "__builtin_FUNCTION", "cub/",   "cuda/",   "thrust/"};
  // assert, <cassert>; static_assert prints nothing at run time.
  constexpr std::string_view kAssert = "assert";
  for (std::size_t at = text.find(kAssert); at != std::string_view::npos; at = text.find(kAssert, at + 1))
    if (at == 0 || text[at - 1] != '_') return true;
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

class Follower {
 public:
  explicit Follower(const std::vector<fs::path>& folders) : folders_(folders) {}

  void follow(std::string_view text, const fs::path& beside) {
    tells_place_ = tells_place_ || tells_place(text);
    tells_architecture_ = tells_architecture_ || text.find("__CUDA_ARCH__") != std::string_view::npos;
    for (const std::string& line : split_lines(text)) {
      directive(trimmed(line), beside);
      constexpr std::string_view kAsk = "__has_include";
      for (std::size_t at = line.find(kAsk); at != std::string::npos; at = line.find(kAsk, at + 1)) {
        const std::string_view rest = trimmed(std::string_view(line).substr(at + kAsk.size()));
        if (rest.starts_with('(')) name(trimmed(rest.substr(1)), beside);
      }
    }
  }

  Included result() const { return {hash_.hex(), complete_, tells_place_, tells_architecture_}; }

 private:
  void directive(std::string_view line, const fs::path& beside) {
    if (!line.starts_with('#')) return;
    line = trimmed(line.substr(1));
    if (!line.starts_with("include")) return;
    name(trimmed(line.substr(std::string_view("include").size())), beside);
  }

  void name(std::string_view spelled, const fs::path& beside) {
    const char close = spelled.starts_with('"') ? '"' : spelled.starts_with('<') ? '>' : '\0';
    const std::size_t end = close == '\0' ? std::string_view::npos : spelled.find(close, 1);
    if (end == std::string_view::npos) {
      complete_ = false;
      return;
    }
    const fs::path file = spelled.substr(1, end - 1);
    if (close == '"' && !beside.empty() && open(file, beside)) return;
    for (const fs::path& folder : folders_)
      if (open(file, folder)) return;
  }

  /// True when `folder` has the file; reads it the first time.
  bool open(const fs::path& file, const fs::path& folder) {
    std::error_code ignored;
    const fs::path path = folder / file;
    if (!fs::exists(path, ignored)) return false;
    if (!seen_.insert(path.lexically_normal()).second) return true;
    const Result<std::string> text = read_file(path);
    if (!text) {
      complete_ = false;
      return true;
    }
    hash_.add(file.string(), *text);
    follow(*text, path.parent_path());
    return true;
  }

  const std::vector<fs::path>& folders_;
  std::set<fs::path> seen_;
  HashBuilder hash_;
  bool complete_ = true;
  bool tells_place_ = false, tells_architecture_ = false;
};

}  // namespace

Included follow_includes(std::string_view text, const std::vector<fs::path>& folders) {
  Follower follower(folders);
  follower.follow(text, {});
  return follower.result();
}

}  // namespace warpbook::toolchain
