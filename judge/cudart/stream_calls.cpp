// Streams: made, asked, waited for. What becomes of the work that is put on them is in capture.cpp.
#include <set>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/stream_order.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

constexpr std::uintptr_t kLegacyStream = 1, kPerThreadStream = 2;  // cudaStreamLegacy, cudaStreamPerThread
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

std::set<Stream*>& live_streams() {
  static auto* const streams = new std::set<Stream*>;
  return *streams;
}

bool is_default(const void* stream) { return reinterpret_cast<std::uintptr_t>(stream) <= kPerThreadStream; }
static_assert(kLegacyStream < kPerThreadStream);

int create(Call& call, Stream** out, unsigned flags, int priority) {
  if (!out) return call.fail(Code::kInvalidValue, "no place for the stream is given");
  if (flags & ~kNonBlockingStream) return call.fail(Code::kInvalidValue, "the flags are none that a stream has");
  static std::uint64_t next_id = kPerThreadStream + 1;
  *out = new Stream{flags, std::clamp(priority, kGreatestPriority, kLeastPriority), next_id++, nullptr};
  live_streams().insert(*out);
  StreamOrder::get().created(*out, (flags & kNonBlockingStream) == 0);
  return call.success();
}

/// Answers a question about a stream: what a default one says, or what `of` says of a live one.
template <class T, class Of>
int ask(const char* name, const void* handle, T* out, T of_default, Of of) {
  Call call(name);
  if (!out) return call.fail(Code::kInvalidValue, "no place for the answer is given");
  const Answer known = check_stream(handle);
  if (!known.ok()) return call.finish(known);
  const Stream* stream = find_stream(handle);
  *out = stream ? of(*stream) : of_default;
  return call.success();
}

int synchronize(const char* name, const void* stream) {
  Call call(name);
  if (const Answer known = check_stream(stream); !known.ok()) return call.finish(known);
  if (const Answer free = check_wait(stream); !free.ok()) return call.finish(free);
  StreamOrder::get().host_waits_for_stream(find_stream(stream));
  return call.synchronize();
}

}  // namespace

Stream* find_stream(const void* handle) {
  thread_local Stream own{0, kLeastPriority, kPerThreadStream, nullptr};
  if (reinterpret_cast<std::uintptr_t>(handle) == kPerThreadStream) return &own;
  auto* stream = static_cast<Stream*>(const_cast<void*>(handle));
  return live_streams().contains(stream) ? stream : nullptr;
}

Answer check_stream(const void* stream) {
  if (is_default(stream) || find_stream(stream)) return {};
  return {Code::kInvalidResourceHandle, "the stream does not exist (destroyed, or never created)"};
}

WARPBOOK_EXPORT int cudaStreamCreate(Stream** out) {
  Call call("cudaStreamCreate");
  return create(call, out, 0, kLeastPriority);
}
WARPBOOK_EXPORT int cudaStreamCreateWithFlags(Stream** out, unsigned flags) {
  Call call("cudaStreamCreateWithFlags");
  return create(call, out, flags, kLeastPriority);
}
WARPBOOK_EXPORT int cudaStreamCreateWithPriority(Stream** out, unsigned flags, int priority) {
  Call call("cudaStreamCreateWithPriority");
  return create(call, out, flags, priority);
}

WARPBOOK_EXPORT int cudaStreamDestroy(void* handle) {
  Call call("cudaStreamDestroy");
  Stream* stream = is_default(handle) ? nullptr : find_stream(handle);
  if (!stream) return call.fail(Code::kInvalidResourceHandle, "the stream does not exist (destroyed, or never created)");
  leave_captures(stream);
  StreamOrder::get().destroyed(stream);
  live_streams().erase(stream);
  delete stream;
  return call.success();
}

WARPBOOK_EXPORT int cudaStreamSynchronize(void* stream) { return synchronize("cudaStreamSynchronize", stream); }
WARPBOOK_ALSO(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
WARPBOOK_EXPORT int cudaStreamQuery(void* stream) { return synchronize("cudaStreamQuery", stream); }
WARPBOOK_ALSO(cudaStreamQuery_ptsz, cudaStreamQuery);

WARPBOOK_EXPORT int cudaStreamWaitEvent(void* stream, void* handle, unsigned flags) {
  constexpr unsigned kExternal = 1;
  Call call("cudaStreamWaitEvent");
  if (const Answer known = check_stream(stream); !known.ok()) return call.finish(known);
  Event* event = find_event(handle);
  if (!event) return call.finish(no_such_event());
  if (flags & kExternal) return call.finish(submit(call, stream, WaitWork{event}));
  return call.finish(wait_in(find_stream(stream), *event));
}
WARPBOOK_ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

WARPBOOK_EXPORT int cudaStreamGetFlags(void* stream, unsigned* flags) {
  return ask("cudaStreamGetFlags", stream, flags, 0u, [](const Stream& s) { return s.flags; });
}
WARPBOOK_ALSO(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);
WARPBOOK_EXPORT int cudaStreamGetPriority(void* stream, int* priority) {
  return ask("cudaStreamGetPriority", stream, priority, 0, [](const Stream& s) { return s.priority; });
}
WARPBOOK_ALSO(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);
WARPBOOK_EXPORT int cudaStreamGetId(void* stream, unsigned long long* id) {
  return ask("cudaStreamGetId", stream, id, 1ull, [](const Stream& s) { return static_cast<unsigned long long>(s.id); });
}
WARPBOOK_ALSO(cudaStreamGetId_ptsz, cudaStreamGetId);
WARPBOOK_EXPORT int cudaStreamGetDevice(void* stream, int* device) {
  return ask("cudaStreamGetDevice", stream, device, 0, [](const Stream&) { return 0; });
}
WARPBOOK_ALSO(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

WARPBOOK_EXPORT int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = kLeastPriority;
  if (greatest) *greatest = kGreatestPriority;
  return 0;
}

// Work before a host function has been done when the function is enqueued, so it is called at once.
WARPBOOK_EXPORT int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  Call call("cudaLaunchHostFunc");
  if (!function) return call.fail(Code::kInvalidValue, "the function is a null pointer");
  return call.finish(submit(call, stream, HostWork{function, data}));
}
WARPBOOK_ALSO(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

WARPBOOK_EXPORT int cudaStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data, unsigned flags) {
  Call call("cudaStreamAddCallback");
  if (const Answer known = check_stream(stream); !known.ok()) return call.finish(known);
  if (!function || flags != 0) return call.fail(Code::kInvalidValue, "the function is a null pointer or the flags are not 0");
  if (const Answer free = check_wait(stream); !free.ok()) return call.finish(free);
  StreamOrder::get().host_waits_for_stream(find_stream(stream));
  const int state = call.synchronize();
  call.unlock();
  function(stream, state, data);
  return state;
}
WARPBOOK_ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

}  // namespace warpbook::cudart
