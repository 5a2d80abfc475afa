#include "judge/trace/sources.hpp"

#include <map>

#include "judge/base/files.hpp"

namespace warpbook::trace {

using nlohmann::json;

json sources(const std::filesystem::path& root, const std::string& own_name, const std::string& own_text, json& sites) {
  json files = json::array();
  std::map<std::string, int> numbers;
  const auto number_of = [&](const std::string& name) {
    const auto [known, fresh] = numbers.try_emplace(name, -1);
    if (!fresh) return known->second;
    std::string shown = name, text;
    if (name == own_name) {
      text = own_text;
    } else {
      const std::size_t common = name.rfind("common/kernel/");
      if (common == std::string::npos) return -1;
      shown = name.substr(common);
      const Result<std::string> read = read_file(root / shown);
      if (!read) return -1;
      text = *read;
    }
    known->second = static_cast<int>(files.size());
    files.push_back({{"name", shown}, {"text", text}, {"own", name == own_name}});
    return known->second;
  };
  number_of(own_name);
  for (json& site : sites) {
    json kept = json::array();
    for (const json& frame : site["at"]) {
      const int file = number_of(frame[0].get<std::string>());
      if (file >= 0) kept.push_back({file, frame[1], frame[2]});
    }
    site["at"] = std::move(kept);
  }
  return files;
}

void put_recording(json& data, Recording recording, const std::filesystem::path& root, const std::string& own_name,
                   const std::string& own_text) {
  data["kernel"] = recording.kernel;
  data["launch"] = {recording.launch, recording.launches};
  data["grid"] = recording.grid;
  data["block"] = recording.block;
  data["index"] = recording.index;
  data["window"] = {{"first", recording.first}, {"kept", recording.events.size()}, {"truncated", recording.truncated}};
  data["files"] = sources(root, own_name, own_text, recording.sites);
  data["stream"] = stream_of(recording);
  data["sites"] = std::move(recording.sites);
  data["registers"] = std::move(recording.registers);
  data["watches"] = std::move(recording.watches);
  data["regions"] = std::move(recording.regions);
  data["shared"] = std::move(recording.shared);
}

}  // namespace warpbook::trace
