#include "judge/run/worker_protocol.hpp"

#include <cstring>

#include "judge/device/wire.hpp"

namespace warpbook::run {
namespace {

using device::Message;
using device::Patience;
using device::Reader;
using device::Transfer;
using device::Writer;

enum class Kind : std::int32_t { kOrder = 1, kReply = 2 };
enum class ArgumentKind : std::uint8_t { kValue = 0, kShared = 1 };

Status send(int socket, Kind kind, const Writer& writer) {
  if (device::send_message(socket, kWorkerMagic, static_cast<std::int32_t>(kind), writer.view(), {}) == Transfer::kDone) return Done{};
  return Error{"the connection to the other process is gone"};
}

Result<Message> receive(int socket, Kind kind, std::uint64_t largest, const Patience& patience) {
  const auto limit = [&](std::int32_t got) { return got == static_cast<std::int32_t>(kind) ? std::optional(largest) : std::nullopt; };
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

}  // namespace

Status send_order(int socket, const WorkerOrder& order) {
  Writer writer;
  writer.text(order.launch).u32(static_cast<std::uint32_t>(order.arguments.size()));
  for (const WorkerArgument& argument : order.arguments) {
    if (const auto* shared = std::get_if<SharedTensor>(&argument)) {
      writer.u8(static_cast<std::uint8_t>(ArgumentKind::kShared)).bytes(shared->handle).u64(shared->offset);
    } else {
      writer.u8(static_cast<std::uint8_t>(ArgumentKind::kValue)).bytes(std::get<0>(argument));
    }
  }
  if (writer.view().size() > kLargestOrder) return Error{"the arguments of a launch are too long"};
  return send(socket, Kind::kOrder, writer);
}

Result<WorkerOrder> receive_order(int socket) {
  Result<Message> message = receive(socket, Kind::kOrder, kLargestOrder, {});
  if (!message) return message.error();
  Reader reader(message->payload);
  WorkerOrder order;
  order.launch = reader.text();
  const std::uint32_t count = reader.u32();
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    const auto kind = static_cast<ArgumentKind>(reader.u8());
    const auto bytes = reader.bytes();
    if (kind == ArgumentKind::kValue) {
      order.arguments.emplace_back(std::vector<std::byte>(bytes.begin(), bytes.end()));
      continue;
    }
    SharedTensor shared;
    if (kind != ArgumentKind::kShared || bytes.size() != shared.handle.size()) return Error{"an argument of the order cannot be read"};
    std::memcpy(shared.handle.data(), bytes.data(), bytes.size());
    shared.offset = reader.u64();
    order.arguments.emplace_back(shared);
  }
  if (!reader.done()) return Error{"the order cannot be read"};
  return order;
}

Status send_reply(int socket, const WorkerReply& reply) {
  Writer writer;
  writer.i32(static_cast<std::int32_t>(reply.stage)).i32(reply.launch_code).i32(reply.last_error).i32(reply.synchronize_code);
  writer.text(std::string_view(reply.message).substr(0, kLargestReply / 2));
  return send(socket, Kind::kReply, writer);
}

Result<WorkerReply> receive_reply(int socket, const Patience& patience) {
  Result<Message> message = receive(socket, Kind::kReply, kLargestReply, patience);
  if (!message) return message.error();
  Reader reader(message->payload);
  WorkerReply reply;
  const std::int32_t stage = reader.i32();
  reply.stage = static_cast<WorkerStage>(stage);
  reply.launch_code = reader.i32();
  reply.last_error = reader.i32();
  reply.synchronize_code = reader.i32();
  reply.message = reader.text();
  const bool known = stage >= static_cast<std::int32_t>(WorkerStage::kFinished) && stage <= static_cast<std::int32_t>(WorkerStage::kThrew);
  if (!reader.done() || !known) return Error{"the worker's reply cannot be read"};
  return reply;
}

}  // namespace warpbook::run
