#include "judge/ptx/locations.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpbook::ptx {
namespace {

// Real chains have a few dozen frames; a hostile text could otherwise make the total quadratic.
constexpr std::size_t kMostFrames = 200;

}  // namespace

std::int32_t Locations::add(Module& module, const LocDirective& loc, std::int32_t current) {
  if (loc.line == 0) return current;
  std::int32_t parent = -1;
  if (loc.inlined) {
    auto found = latest_.find({loc.at_file, loc.at_line, loc.at_column});
    if (found != latest_.end()) parent = found->second;
  }
  std::string key =
      fmt::format("{} {} {} {} {} {} {} {}", loc.file, loc.line, loc.column, parent, loc.at_file, loc.at_line, loc.at_column, loc.function);
  auto [known, fresh] = known_.try_emplace(key, static_cast<std::int32_t>(module.locations.size()));
  if (fresh) {
    Location location;
    location.frames.push_back({loc.file, loc.line, loc.column, loc.function});
    if (parent >= 0) {
      const std::vector<Frame>& outer = module.locations[static_cast<std::size_t>(parent)].frames;
      for (std::size_t i = 0; i < outer.size() && location.frames.size() < kMostFrames; ++i) location.frames.push_back(outer[i]);
    } else if (loc.inlined) {
      location.frames.push_back({loc.at_file, loc.at_line, loc.at_column, {}});
    }
    module.locations.push_back(std::move(location));
  }
  latest_[{loc.file, loc.line, loc.column}] = known->second;
  return known->second;
}

void Locations::fill_in_names(Module& module) const {
  for (Location& location : module.locations) {
    for (Frame& frame : location.frames) {
      if (frame.function.empty()) continue;
      std::size_t plus = frame.function.find('+');
      std::size_t offset = 0;
      if (plus != std::string::npos)
        std::from_chars(frame.function.data() + plus + 1, frame.function.data() + frame.function.size(), offset);
      auto label = labels_.find(frame.function.substr(0, plus));
      // The label may stand at the end of the section: then there is no string.
      bool there = label != labels_.end() && offset < bytes_.size() && label->second < bytes_.size() - offset;
      frame.function = there ? std::string(bytes_.c_str() + label->second + offset) : std::string();
    }
  }
}

}  // namespace warpbook::ptx
