// Events tell wall-clock time on this machine: how long the interpreter took, which says nothing about a GPU. Programs that time
// themselves run; what they print is not a measurement (the judge counts sectors instead).
#include <set>

#include "judge/cudart/capture.hpp"
#include "judge/cudart/export.hpp"
#include "judge/cudart/stream_order.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

constexpr unsigned kDisableTiming = 2;
constexpr unsigned kKnownFlags = 7;  // blocking sync, disable timing, interprocess

std::set<Event*>& live_events() {
  static auto* const events = new std::set<Event*>;
  return *events;
}

int create(Call& call, Event** out, unsigned flags) {
  if (!out) return call.fail(Code::kInvalidValue, "no place for the event is given");
  if (flags & ~kKnownFlags) return call.fail(Code::kInvalidValue, "the flags are none that an event has");
  *out = new Event{flags, {}, 0, {}};
  live_events().insert(*out);
  return call.success();
}

int wait(const char* name, const void* event) {
  constexpr Code kCapturedEvent{907};
  Call call(name);
  const Event* known = find_event(event);
  if (!known) return call.finish(no_such_event());
  if (known->capture) return call.fail(kCapturedEvent, "the event was last recorded in a stream that is captured: nothing happens then");
  StreamOrder::get().host_waits_for_event(known);
  return call.synchronize();
}

}  // namespace

Event* find_event(const void* handle) {
  auto* event = static_cast<Event*>(const_cast<void*>(handle));
  return live_events().contains(event) ? event : nullptr;
}

Answer no_such_event() { return {Code::kInvalidResourceHandle, "the event does not exist (destroyed, or never created)"}; }

WARPBOOK_EXPORT int cudaEventCreate(Event** out) {
  Call call("cudaEventCreate");
  return create(call, out, 0);
}
WARPBOOK_EXPORT int cudaEventCreateWithFlags(Event** out, unsigned flags) {
  Call call("cudaEventCreateWithFlags");
  return create(call, out, flags);
}

WARPBOOK_EXPORT int cudaEventDestroy(void* handle) {
  Call call("cudaEventDestroy");
  Event* event = find_event(handle);
  if (!event) return call.finish(no_such_event());
  live_events().erase(event);
  StreamOrder::get().event_destroyed(event);
  delete event;
  return call.success();
}

/// `external`: a captured record becomes a node, so that each launch of the graph records the event.
static int record(const char* name, void* handle, void* stream, bool external) {
  Call call(name);
  if (const Answer known = check_stream(stream); !known.ok()) return call.finish(known);
  Event* event = find_event(handle);
  if (!event) return call.finish(no_such_event());
  if (external) return call.finish(submit(call, stream, RecordWork{event}));
  event->recorded = std::chrono::steady_clock::now();
  return call.finish(record_in(find_stream(stream), *event));
}

WARPBOOK_EXPORT int cudaEventRecord(void* event, void* stream) { return record("cudaEventRecord", event, stream, false); }
WARPBOOK_ALSO(cudaEventRecord_ptsz, cudaEventRecord);
WARPBOOK_EXPORT int cudaEventRecordWithFlags(void* event, void* stream, unsigned flags) {
  constexpr unsigned kExternal = 1;
  return record("cudaEventRecordWithFlags", event, stream, (flags & kExternal) != 0);
}
WARPBOOK_ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

WARPBOOK_EXPORT int cudaEventQuery(void* event) { return wait("cudaEventQuery", event); }
WARPBOOK_EXPORT int cudaEventSynchronize(void* event) { return wait("cudaEventSynchronize", event); }

WARPBOOK_EXPORT int cudaEventElapsedTime(float* milliseconds, void* start, void* stop) {
  Call call("cudaEventElapsedTime");
  if (!milliseconds) return call.fail(Code::kInvalidValue, "no place for the time is given");
  const Event *from = find_event(start), *to = find_event(stop);
  if (!from || !to) return call.finish(no_such_event());
  if (!from->recorded || !to->recorded) return call.fail(Code::kInvalidResourceHandle, "an event was never recorded");
  if ((from->flags | to->flags) & kDisableTiming) return call.fail(Code::kInvalidResourceHandle, "an event was created without timing");
  *milliseconds = std::chrono::duration<float, std::milli>(*to->recorded - *from->recorded).count();
  return call.success();
}
WARPBOOK_ALSO(cudaEventElapsedTime_v2, cudaEventElapsedTime);

}  // namespace warpbook::cudart
