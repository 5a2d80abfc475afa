#pragma once
// results.txt.zst: what an H200 wrote into `out`, one kernel a line: key, a tab, hexadecimal bytes. `zstdcat` shows it.
#include <map>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::golden {

Result<std::map<std::string, std::string>> read_results_file(const std::string& path);
Status write_results_file(const std::string& path, const std::map<std::string, std::string>& results);

}  // namespace warpbook::golden
