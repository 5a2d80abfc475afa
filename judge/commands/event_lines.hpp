#pragma once
// `judge run --events FD`: what happens, as it happens, one JSON line an event, for a program that started this one.
//   {"event": "compiled", "data": {"seconds": 0.61, "cached": false}}
// started, compiled, case (as in --json) for each case, advice, result (the whole of --json) at the end.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "judge/base/error.hpp"

namespace warpbook::commands {

class EventLines {
 public:
  /// Tells nobody.
  EventLines() = default;
  /// Writes to an open descriptor. The error says that it is not open for writing.
  static Result<EventLines> on(int descriptor);

  /// A reader that went away is no reason to stop judging: the rest is told to nobody.
  void tell(const std::string& event, const nlohmann::json& data);

 private:
  int descriptor_ = -1;
};

}  // namespace warpbook::commands
