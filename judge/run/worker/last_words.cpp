#include "judge/run/worker/last_words.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <utility>

namespace warpbook::run {

void finish(const WorkerReply& reply) {
  std::cout.flush();
  std::fflush(nullptr);
  const bool told = static_cast<bool>(send_reply(kControlDescriptor, reply));
  ::_exit(told ? 0 : 1);
}

void fail(WorkerStage stage, std::string message) {
  WorkerReply reply;
  reply.stage = stage;
  reply.message = std::move(message);
  finish(reply);
}

std::string loader_error() {
  const char* text = ::dlerror();
  return text ? text : "unknown error of the loader";
}

int call(LaunchFunction launch, void* const* arguments) {
  try {
    return launch(arguments);
  } catch (const std::exception& thrown) {
    fail(WorkerStage::kThrew, thrown.what());
  } catch (...) {
    fail(WorkerStage::kThrew, "something that is no std::exception");
  }
}

}  // namespace warpbook::run
