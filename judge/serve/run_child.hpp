#pragma once
// One run as a process: `judge run TASK FILE --events FD`, the same program and the same functions as in the terminal. A fork of the server
// would carry its threads' locks with it, and a crash would take the server; a program of its own can also be ended as a person ends it,
// by SIGINT, and then leaves nothing behind.
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "judge/serve/patient_store.hpp"
#include "judge/serve/run_order.hpp"

namespace warpbook::serve {

struct RunEvent {
  std::string name;  ///< queued, started, compiled, case, advice, unrecorded, result, failed, cancelled
  nlohmann::json data;
};

enum class RunEnding { kResult, kCancelled, kFailed };

struct RunEnd {
  RunEnding ending = RunEnding::kFailed;
  std::string message;  ///< kFailed: why there is no verdict
};

/// What a run of a class does while its database cannot be reached.
struct StoreWaiting {
  Patience patience;
  std::function<bool()> reachable = [] { return true; };
};

/// Runs the order to its end and tells each event as it comes, from this thread or another. Ends early when `cancel` becomes readable: the
/// program is interrupted, and killed when it is still there two seconds later.
RunEnd run_child(const RunOrder& order, const StoreWaiting& waiting, int cancel, const std::function<void(RunEvent)>& tell);

}  // namespace warpbook::serve
