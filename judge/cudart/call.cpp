#include "judge/cudart/call.hpp"

#include <utility>

namespace warpbook::cudart {
namespace {

using device::Code;

thread_local Code error_of_thread = Code::kSuccess;

}  // namespace

int Call::finish(const device::Answer& answer) {
  if (answer.ok()) return 0;
  error_of_thread = answer.code;
  if (device::is_sticky(answer.code) && runtime_.sticky() == Code::kSuccess) {
    runtime_.set_sticky(answer.code);
    runtime_.show_output();  // with the report of what broke the device
  } else if (!answer.message.empty() && !device::is_sticky(answer.code) && !runtime_.judged()) {
    runtime_.report().refused(name_, answer.code, answer.message);
  }
  return static_cast<int>(answer.code);
}

int Call::misuse(Code code, std::string message) {
  if (!runtime_.report().to_judge()) return fail(code, std::move(message));
  device::Fault fault;
  fault.kind = device::FaultKind::kInvalidCall;
  fault.code = code;
  fault.kernel = name_;
  fault.message = std::move(message);
  runtime_.report().finding(fault);
  return finish({code, {}});
}

int Call::synchronize() {
  const device::Answer answer = device().synchronize();
  runtime_.show_output();
  return finish(answer);
}

device::Code last_error(bool take) {
  const Code sticky = Runtime::get().sticky();
  if (sticky != Code::kSuccess) return sticky;
  return take ? std::exchange(error_of_thread, Code::kSuccess) : error_of_thread;
}

}  // namespace warpbook::cudart
