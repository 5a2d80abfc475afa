#pragma once
// A program that runs as if it had been started by hand (our stdin, stdout, stderr and process group), beside one more descriptor on
// which the runtime library inside of it reports. run::Command is for programs whose output is the judge's; this is for other people's.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::commands {

struct Watched {
  std::vector<std::string> argv;  ///< argv[0] is a path
  /// Set for the program; given the number of the report's descriptor.
  std::function<std::map<std::string, std::string>(int descriptor)> environment;
  std::function<void(const std::string& line)> on_line;  ///< each line of the report, without its end, as it comes
};

struct WatchedEnd {
  int status = 0;  ///< exit status
  int signal = 0;  ///< that ended it; 0: it exited
};

/// Runs it to its end. An interruption of the judge reaches the program too (the terminal sends it to both); when it is still there after
/// a while, it is ended.
Result<WatchedEnd> run_watched(const Watched& watched);

}  // namespace warpbook::commands
