#include "judge/run/worker_protocol.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "judge/device/wire.hpp"

namespace warpbook::run {
namespace {

using device::Message;
using device::Patience;
using device::Reader;
using device::Transfer;
using device::Writer;

enum class Kind : std::int32_t { kOrder = 1, kReply = 2, kTimedOrder = 3, kRound = 4, kRoundReply = 5 };
enum class ArgumentKind : std::uint8_t { kValue = 0, kShared = 1 };

Status send(int socket, Kind kind, const Writer& writer) {
  if (device::send_message(socket, kWorkerMagic, static_cast<std::int32_t>(kind), writer.view(), {}) == Transfer::kDone) return Done{};
  return Error{"the connection to the other process is gone"};
}

/// One of `kinds`, at most `largest` bytes long.
Result<Message> receive(int socket, std::initializer_list<Kind> kinds, std::uint64_t largest, const Patience& patience) {
  const auto limit = [&](std::int32_t got) {
    const bool wanted = std::find(kinds.begin(), kinds.end(), static_cast<Kind>(got)) != kinds.end();
    return wanted ? std::optional(largest) : std::nullopt;
  };
  Message message;
  std::string why;
  switch (device::receive_message(socket, kWorkerMagic, limit, patience, message, why)) {
    case Transfer::kDone: return message;
    case Transfer::kClosed: return Error{};
    case Transfer::kTimedOut: return Error{"a message did not arrive in time"};
    case Transfer::kStopped: return Error{"stopped"};
    case Transfer::kBroken: return Error{"the connection cannot be read"};
    case Transfer::kMalformed: break;
  }
  return Error{std::move(why)};
}

void write_arguments(Writer& writer, const std::vector<WorkerArgument>& arguments) {
  writer.u32(static_cast<std::uint32_t>(arguments.size()));
  for (const WorkerArgument& argument : arguments) {
    if (const auto* shared = std::get_if<SharedTensor>(&argument)) {
      writer.u8(static_cast<std::uint8_t>(ArgumentKind::kShared)).bytes(shared->handle).u64(shared->offset);
    } else {
      writer.u8(static_cast<std::uint8_t>(ArgumentKind::kValue)).bytes(std::get<0>(argument));
    }
  }
}

/// False: an argument is none. What ends early is left to the reader to say.
bool read_arguments(Reader& reader, std::vector<WorkerArgument>& arguments) {
  const std::uint32_t count = reader.u32();
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    const auto kind = static_cast<ArgumentKind>(reader.u8());
    const auto bytes = reader.bytes();
    if (kind == ArgumentKind::kValue) {
      arguments.emplace_back(std::vector<std::byte>(bytes.begin(), bytes.end()));
      continue;
    }
    SharedTensor shared;
    if (kind != ArgumentKind::kShared || bytes.size() != shared.handle.size()) return false;
    std::memcpy(shared.handle.data(), bytes.data(), bytes.size());
    shared.offset = reader.u64();
    arguments.emplace_back(shared);
  }
  return true;
}

Status send_checked(int socket, Kind kind, const Writer& writer) {
  if (writer.view().size() > kLargestOrder) return Error{"the arguments of a launch are too long"};
  return send(socket, kind, writer);
}

Result<WorkerOrder> read_order(Reader reader) {
  WorkerOrder order;
  order.launch = reader.text();
  if (!read_arguments(reader, order.arguments)) return Error{"an argument of the order cannot be read"};
  if (!reader.done()) return Error{"the order cannot be read"};
  return order;
}

Result<TimedOrder> read_timed_order(Reader reader) {
  TimedOrder order;
  order.launch = reader.text();
  const std::uint32_t groups = reader.u32();
  for (std::uint32_t g = 0; g < groups && reader.ok(); ++g) {
    ArgumentSets sets;
    sets.count = reader.u32();
    if (!read_arguments(reader, sets.arguments)) return Error{"an argument of the order cannot be read"};
    for (std::size_t i = 0; i < sets.arguments.size(); ++i) sets.strides.push_back(reader.u64());
    if (sets.count == 0) return Error{"a group of the order has no set of arguments"};
    order.groups.push_back(std::move(sets));
  }
  if (!reader.done() || order.groups.empty()) return Error{"the order cannot be read"};
  return order;
}

Result<WorkerReply> read_reply(Reader reader) {
  WorkerReply reply;
  const std::int32_t stage = reader.i32();
  reply.stage = static_cast<WorkerStage>(stage);
  reply.launch_code = reader.i32();
  reply.last_error = reader.i32();
  reply.synchronize_code = reader.i32();
  reply.message = reader.text();
  const bool known = stage >= static_cast<std::int32_t>(WorkerStage::kFinished) && stage <= static_cast<std::int32_t>(WorkerStage::kReady);
  if (!reader.done() || !known) return Error{"the worker's reply cannot be read"};
  return reply;
}

}  // namespace

Status send_order(int socket, const WorkerOrder& order) {
  Writer writer;
  writer.text(order.launch);
  write_arguments(writer, order.arguments);
  return send_checked(socket, Kind::kOrder, writer);
}

Status send_timed_order(int socket, const TimedOrder& order) {
  Writer writer;
  writer.text(order.launch).u32(static_cast<std::uint32_t>(order.groups.size()));
  for (const ArgumentSets& sets : order.groups) {
    if (sets.strides.size() != sets.arguments.size()) return Error{"a group of the order has another number of strides than of arguments"};
    writer.u32(sets.count);
    write_arguments(writer, sets.arguments);
    for (const std::uint64_t stride : sets.strides) writer.u64(stride);
  }
  return send_checked(socket, Kind::kTimedOrder, writer);
}

Result<std::variant<WorkerOrder, TimedOrder>> receive_any_order(int socket) {
  using Any = std::variant<WorkerOrder, TimedOrder>;
  Result<Message> message = receive(socket, {Kind::kOrder, Kind::kTimedOrder}, kLargestOrder, {});
  if (!message) return message.error();
  if (static_cast<Kind>(message->kind) == Kind::kOrder) {
    Result<WorkerOrder> order = read_order(Reader(message->payload));
    return order ? Result<Any>(std::move(*order)) : Result<Any>(order.error());
  }
  Result<TimedOrder> order = read_timed_order(Reader(message->payload));
  return order ? Result<Any>(std::move(*order)) : Result<Any>(order.error());
}

Status send_reply(int socket, const WorkerReply& reply) {
  Writer writer;
  writer.i32(static_cast<std::int32_t>(reply.stage)).i32(reply.launch_code).i32(reply.last_error).i32(reply.synchronize_code);
  writer.text(std::string_view(reply.message).substr(0, kLargestReply / 2));
  return send(socket, Kind::kReply, writer);
}

Result<WorkerReply> receive_reply(int socket, const Patience& patience) {
  Result<Message> message = receive(socket, {Kind::kReply}, kLargestReply, patience);
  if (!message) return message.error();
  Result<WorkerReply> reply = read_reply(Reader(message->payload));
  if (reply && reply->stage == WorkerStage::kReady) return Error{"the worker waits for a round that nobody ordered"};
  return reply;
}

Status send_round(int socket, const Round& round) {
  Writer writer;
  writer.u32(round.group).u32(round.first).u32(round.count);
  return send(socket, Kind::kRound, writer);
}

Result<Round> receive_round(int socket) {
  Result<Message> message = receive(socket, {Kind::kRound}, kLargestReply, {});
  if (!message) return message.error();
  Reader reader(message->payload);
  Round round;
  round.group = reader.u32();
  round.first = reader.u32();
  round.count = reader.u32();
  if (!reader.done()) return Error{"the round cannot be read"};
  return round;
}

Status send_round_reply(int socket, const RoundReply& reply) {
  Writer writer;
  writer.i32(reply.launch_code).i32(reply.last_error).i32(reply.synchronize_code).raw(&reply.device_seconds, sizeof(double));
  return send(socket, Kind::kRoundReply, writer);
}

Result<std::variant<RoundReply, WorkerReply>> receive_round_reply(int socket, const Patience& patience) {
  using Any = std::variant<RoundReply, WorkerReply>;
  Result<Message> message = receive(socket, {Kind::kRoundReply, Kind::kReply}, kLargestReply, patience);
  if (!message) return message.error();
  Reader reader(message->payload);
  if (static_cast<Kind>(message->kind) == Kind::kReply) {
    Result<WorkerReply> reply = read_reply(reader);
    return reply ? Result<Any>(std::move(*reply)) : Result<Any>(reply.error());
  }
  RoundReply reply;
  reply.launch_code = reader.i32();
  reply.last_error = reader.i32();
  reply.synchronize_code = reader.i32();
  const std::uint64_t bits = reader.u64();
  std::memcpy(&reply.device_seconds, &bits, sizeof bits);
  if (!reader.done()) return Error{"the worker's reply cannot be read"};
  return Any(reply);
}

}  // namespace warpbook::run
