#pragma once
// The pages, as `npm run build` left them. A file that was compressed when it was built (`.br`, `.gz` beside it) goes out as that; what
// stands under assets/ has the hash of its content in its name and may be kept for ever; index.html is asked for again each time.
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "judge/serve/http.hpp"

namespace warpbook::serve {

class StaticFiles {
 public:
  /// `folder` need not exist; it is looked for at each request, so that building the pages needs no restart.
  explicit StaticFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The file of the path; for a path without an extension the page, which knows its own routes; else 404.
  Answer answer(const Request& request);

 private:
  struct File {
    std::filesystem::file_time_type written;
    std::string bytes, tag;
  };
  using FilePointer = std::shared_ptr<const File>;

  FilePointer load(const std::filesystem::path& path);
  Answer page(const Request& request);
  Answer file(const Request& request, const std::string& name);

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::filesystem::path, FilePointer> loaded_;
};

}  // namespace warpbook::serve
