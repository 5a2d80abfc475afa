#pragma once
// Inside of the worker: how it ends, and the functions of the runtime that it needs.
#include <dlfcn.h>

#include <string>

#include "judge/run/worker_protocol.hpp"

namespace warpbook::run {

/// Tells the judge and ends, without the destructors and exit handlers of code that is not trusted to return.
[[noreturn]] void finish(const WorkerReply& reply);
/// The same with nothing but how far it came and why no further.
[[noreturn]] void fail(WorkerStage stage, std::string message);

/// What dlopen() or dlsym() last complained about.
std::string loader_error();

/// A function of the runtime library; without it the worker ends.
template <class Function>
Function runtime_function(void* runtime, const char* name) {
  auto function = reinterpret_cast<Function>(::dlsym(runtime, name));
  if (!function) fail(WorkerStage::kNoRuntime, loader_error());
  return function;
}

using LaunchFunction = int (*)(void* const*);
using CodeFunction = int (*)();

/// Calls the learner's host code; what it throws ends the worker.
int call(LaunchFunction launch, void* const* arguments);

}  // namespace warpbook::run
