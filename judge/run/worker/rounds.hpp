#pragma once
// Inside of the worker: the timed conversation. It launches as often as it is told and says what CUDA's events measured; what counts is
// the judge's clock at the other end.
#include "judge/run/worker/last_words.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {

/// Says that it is ready, then serves rounds until the judge hangs up.
[[noreturn]] void serve_rounds(void* runtime, LaunchFunction launch, const TimedOrder& order);

}  // namespace warpbook::run
