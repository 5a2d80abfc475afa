#include "judge/cudart/capture.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "judge/cudart/stream_order.hpp"

namespace warpbook::cudart {
namespace {

using device::Answer;
using device::Code;

constexpr Code kUnsupported{900}, kInvalidated{901}, kMerge{902}, kUnmatched{903}, kUnjoined{904}, kIsolation{905}, kImplicit{906},
    kWrongThread{908};

std::set<Capture*>& captures() {
  static auto* const live = new std::set<Capture*>;
  return *live;
}

thread_local abi::CaptureMode mode_of_thread = abi::kCaptureGlobal;

Capture* capture_numbered(std::uint64_t number) {
  const auto at = std::find_if(captures().begin(), captures().end(), [&](const Capture* c) { return c->number == number; });
  return at == captures().end() ? nullptr : *at;
}

Answer spoil(Capture& capture, Code code, std::string why) {
  capture.invalid = true;
  return {code, std::move(why)};
}

/// The legacy default stream waits for all blocking streams, so it would wait for captured work.
Answer check_legacy() {
  for (Capture* capture : captures())
    for (const auto& [stream, tail] : capture->tails)
      if (!(stream->flags & kNonBlockingStream))
        return spoil(*capture, kImplicit,
                     "the legacy default stream would wait for a stream that is being captured: give this work a stream of its own");
  return {};
}

bool is_unsafe_for(const Capture& capture) {
  const bool same_thread = capture.thread == std::this_thread::get_id();
  if (mode_of_thread == abi::kCaptureRelaxed || capture.mode == abi::kCaptureRelaxed) return false;
  if (mode_of_thread == abi::kCaptureThreadLocal || capture.mode == abi::kCaptureThreadLocal) return same_thread;
  return true;
}

/// Ends a capture without a graph, or with the one it gives back.
void drop(Capture* capture) {
  for (const auto& [stream, tail] : capture->tails) stream->capture = nullptr;
  captures().erase(capture);
  delete capture;
}

/// True when everything that the other streams captured comes before what the origin captured last.
bool is_joined(const Capture& capture) {
  std::set<const GraphNode*> before;
  std::vector<const GraphNode*> open(capture.tails.at(capture.origin).begin(), capture.tails.at(capture.origin).end());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (before.insert(node).second) open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return std::all_of(capture.tails.begin(), capture.tails.end(), [&](const auto& entry) {
    return std::all_of(entry.second.begin(), entry.second.end(), [&](const GraphNode* node) { return before.contains(node); });
  });
}

}  // namespace

void Capture::append(Stream* stream, Work work) {
  std::vector<GraphNode*>& tail = tails[stream];
  tail = {graph->add(std::move(work), tail)};
}

/// Does it now, with what its stream orders it behind told to the device.
Answer run_in_order(Call& call, const Stream* stream, const Work& work) {
  StreamOrder& order = StreamOrder::get();
  const auto* graph = std::get_if<GraphWork>(&work);
  const auto of_events = [&](const auto& note) {
    note(work);
    if (graph != nullptr)
      for (const auto& node : graph->graph->nodes()) note(node->work);
  };
  of_events([&](const Work& one) {
    if (const auto* wait = std::get_if<WaitWork>(&one)) order.wait(stream, wait->event);
  });
  call.runtime().begin_task(order.begin(stream, call.name()));
  const Answer answer = run_work(call, work);
  call.runtime().begin_task({});
  of_events([&](const Work& one) {
    if (const auto* record = std::get_if<RecordWork>(&one)) order.record(record->event, stream);
  });
  const auto* copy = std::get_if<CopyWork>(&work);
  const bool of_default = stream == nullptr && (copy != nullptr || std::holds_alternative<FillWork>(work));
  const bool to_host = copy != nullptr && (copy->copy.direction == abi::kDeviceToHost || copy->copy.direction == abi::kByAddress);
  const bool to_pageable = to_host && !call.runtime().is_shared(reinterpret_cast<std::uintptr_t>(copy->copy.target.pointer));
  if (of_default || to_pageable || std::holds_alternative<HostWork>(work)) order.host_waits_for_stream(stream);
  return answer;
}

Answer submit(Call& call, const void* handle, Work work) {
  if (const Answer known = check_stream(handle); !known.ok()) return known;
  Stream* stream = find_stream(handle);
  if (!stream) {
    if (const Answer free = check_legacy(); !free.ok()) return free;
    return run_in_order(call, nullptr, work);
  }
  if (!stream->capture) return run_in_order(call, stream, work);
  if (stream->capture->invalid) return {kInvalidated, "the capture of this stream was spoilt by an earlier call"};
  stream->capture->append(stream, std::move(work));
  return {};
}

Answer check_wait(const void* handle) {
  const Stream* stream = find_stream(handle);
  if (!stream) return check_legacy();
  if (stream->capture) return spoil(*stream->capture, kUnsupported, "a stream that is being captured does no work to wait for");
  return {};
}

Answer check_unsafe() {
  for (Capture* capture : captures())
    if (is_unsafe_for(*capture))
      return spoil(*capture, kUnsupported,
                   "this call is not permitted while a stream is being captured (cudaStreamCaptureModeRelaxed permits it)");
  return {};
}

Answer begin_capture(void* handle, int mode, Graph* into, std::vector<GraphNode*> dependencies) {
  if (const Answer known = check_stream(handle); !known.ok()) return known;
  Stream* stream = find_stream(handle);
  if (!stream) return {kUnsupported, "the legacy default stream cannot be captured: make a stream"};
  if (mode < abi::kCaptureGlobal || mode > abi::kCaptureRelaxed) return {Code::kInvalidValue, "the mode is none of cudaStreamCaptureMode"};
  if (stream->capture) return {Code{401}, "the stream is being captured already"};
  static std::uint64_t next = 1;
  auto* capture = new Capture;
  capture->number = next++;
  capture->origin = stream;
  capture->mode = static_cast<abi::CaptureMode>(mode);
  capture->thread = std::this_thread::get_id();
  if (!into) capture->own = std::make_unique<Graph>();
  capture->graph = into ? into : capture->own.get();
  capture->tails[stream] = std::move(dependencies);
  stream->capture = capture;
  captures().insert(capture);
  return {};
}

Answer end_capture(void* handle, Graph*& graph) {
  graph = nullptr;
  if (const Answer known = check_stream(handle); !known.ok()) return known;
  Stream* stream = find_stream(handle);
  if (!stream || !stream->capture) return {Code{401}, "the stream is not being captured"};
  Capture* capture = stream->capture;
  if (capture->origin != stream) return spoil(*capture, kUnmatched, "the capture did not begin on this stream");
  if (capture->mode != abi::kCaptureRelaxed && capture->thread != std::this_thread::get_id())
    return {kWrongThread, "the capture was begun by another thread"};
  Answer answer;
  if (capture->invalid) answer = {kInvalidated, "the capture was spoilt by an earlier call"};
  else if (!is_joined(*capture)) answer = {kUnjoined, "another stream joined the capture, and the first one never waited for it"};
  if (answer.ok()) graph = capture->own ? keep(std::move(capture->own)) : capture->graph;
  drop(capture);
  return answer;
}

Answer record_in(Stream* stream, Event& event) {
  event.capture = 0;
  event.dependencies.clear();
  if (!stream || !stream->capture) StreamOrder::get().record(&event, stream);
  if (!stream) return check_legacy();
  if (!stream->capture) return {};
  if (stream->capture->invalid) return {kInvalidated, "the capture of this stream was spoilt by an earlier call"};
  event.capture = stream->capture->number;
  event.dependencies = stream->capture->tails[stream];
  return {};
}

Answer wait_in(Stream* stream, const Event& event) {
  Capture* source = event.capture ? capture_numbered(event.capture) : nullptr;
  if (event.capture && !source) return {Code{907}, "the event was recorded in a capture that has ended"};
  if (!source) {
    if (stream && stream->capture)
      return spoil(*stream->capture, kIsolation, "a captured stream would wait for work outside of its capture");
    StreamOrder::get().wait(stream, &event);
    return {};
  }
  if (!stream) return spoil(*source, kImplicit, "the legacy default stream cannot join a capture");
  if (stream->capture && stream->capture != source) {
    source->invalid = true;
    return spoil(*stream->capture, kMerge, "two captures would become one");
  }
  stream->capture = source;
  std::vector<GraphNode*>& tail = source->tails[stream];
  for (GraphNode* node : event.dependencies)
    if (std::find(tail.begin(), tail.end(), node) == tail.end()) tail.push_back(node);
  return {};
}

void leave_captures(Stream* stream) {
  Capture* capture = stream->capture;
  if (!capture) return;
  capture->invalid = true;
  if (capture->origin == stream) return drop(capture);
  capture->tails.erase(stream);
  stream->capture = nullptr;
}

abi::CaptureMode exchange_mode(abi::CaptureMode mode) { return std::exchange(mode_of_thread, mode); }

}  // namespace warpbook::cudart
