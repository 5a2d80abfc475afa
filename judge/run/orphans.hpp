#pragma once
// Processes whose parent died before they did.
#include <set>

namespace warpbook::run {

/// While it lives, processes that lose their parent below us become our children; its end ends those of them that are still there.
/// Children that we had before stay as they are. For one thread of a program, at a time when no other starts children.
class Orphanage {
 public:
  Orphanage();
  ~Orphanage();
  Orphanage(const Orphanage&) = delete;
  Orphanage& operator=(const Orphanage&) = delete;

 private:
  std::set<int> before_;
};

}  // namespace warpbook::run
