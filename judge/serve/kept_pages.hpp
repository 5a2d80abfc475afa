#pragma once
// Lesson texts as HTML, kept for a while. Making one reads a dozen files and takes some milliseconds, and in a class hundreds of people
// open the same page in the same minute.
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::serve {

class KeptPages {
 public:
  /// How long a text that was changed may still be shown as it was. Zero: nothing is kept.
  explicit KeptPages(std::chrono::milliseconds kept) : kept_(kept) {}

  /// What `make` makes of `name`, or made of it not longer ago than that. Errors are not kept.
  Result<std::string> look(const std::string& name, const std::function<Result<std::string>()>& make) {
    const auto now = std::chrono::steady_clock::now();
    if (kept_.count() > 0) {
      const std::lock_guard lock(mutex_);
      const auto page = pages_.find(name);
      if (page != pages_.end() && now - page->second.made < kept_) return page->second.html;
    }
    Result<std::string> html = make();
    if (!html || kept_.count() == 0) return html;
    const std::lock_guard lock(mutex_);
    pages_[name] = {now, *html};
    return html;
  }

 private:
  struct Page {
    std::chrono::steady_clock::time_point made;
    std::string html;
  };
  const std::chrono::milliseconds kept_;
  std::mutex mutex_;
  std::map<std::string, Page> pages_;
};

}  // namespace warpbook::serve
