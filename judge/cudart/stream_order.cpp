#include "judge/cudart/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbook::cudart {
namespace {

void join(StreamOrder::Clock& into, const StreamOrder::Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

StreamOrder& StreamOrder::get() {
  static auto* const order = new StreamOrder;  // never destroyed, as the runtime's state
  return *order;
}

void StreamOrder::created(const void* stream, bool blocking) {
  numbers_[stream] = streams_.size();
  streams_.push_back({blocking, 0, {}, fmt::format("stream {}", ++made_)});
}

void StreamOrder::destroyed(const void* stream) { numbers_.erase(stream); }

std::size_t StreamOrder::number_of(const void* stream) {
  if (stream == nullptr) return 0;
  const auto known = numbers_.find(stream);
  if (known != numbers_.end()) return known->second;
  // Nobody made it: a thread's own default stream.
  numbers_[stream] = streams_.size();
  streams_.push_back({true, 0, {}, "a thread's default stream"});
  return streams_.size() - 1;
}

bool StreamOrder::several() const {
  if (streams_.size() > 2) return true;
  return streams_.size() == 2 && !streams_[1].blocking;
}

StreamOrder::Clock StreamOrder::known_to(std::size_t stream) const {
  Clock clock = streams_[stream].clock;
  join(clock, host_);
  if (stream == 0) {
    for (const Stream& other : streams_)
      if (other.blocking) join(clock, other.clock);
  } else if (streams_[stream].blocking) {
    join(clock, streams_[0].clock);
  }
  return clock;
}

vgpu::StreamTask StreamOrder::begin(const void* handle, std::string call) {
  const std::size_t number = number_of(handle);
  vgpu::StreamTask task;
  task.stream = number;
  task.knows = known_to(number);
  Stream& stream = streams_[number];
  ++stream.works;
  stream.clock = task.knows;
  stream.clock.resize(std::max(stream.clock.size(), streams_.size()));
  stream.clock[number] = stream.works;
  if (!several()) return {};
  task.number = stream.works;
  task.settled = host_;
  task.stream_name = stream.name;
  task.call = std::move(call);
  return task;
}

void StreamOrder::record(const void* event, const void* stream) { events_[event] = known_to(number_of(stream)); }

void StreamOrder::wait(const void* stream, const void* event) {
  const auto known = events_.find(event);
  if (known != events_.end()) join(streams_[number_of(stream)].clock, known->second);
}

void StreamOrder::host_waits_for_stream(const void* stream) { join(host_, known_to(number_of(stream))); }

void StreamOrder::host_waits_for_event(const void* event) {
  const auto known = events_.find(event);
  if (known != events_.end()) join(host_, known->second);
}

void StreamOrder::host_waits_for_all() {
  for (const Stream& stream : streams_) join(host_, stream.clock);
}

}  // namespace warpbook::cudart
