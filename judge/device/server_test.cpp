// The two ends of the socket against each other, and the server against everything that is not our client.
#include "judge/device/server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <tuple>

#include "judge/device/fake_device.hpp"
#include "judge/device/socket_device.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook::device;

namespace {

struct Pair {
  int program = -1, judge = -1;
  Pair() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    program = ends[0];
    judge = ends[1];
  }
  ~Pair() {
    close_program();
    ::close(judge);
  }
  void close_program() {
    if (program >= 0) ::close(program);
    program = -1;
  }
};

/// Runs a server beside the test until the program's end closes.
struct Conversation {
  FakeDevice device;
  Pair sockets;
  Server server;
  std::thread thread;
  Turn end = Turn::kServed;
  explicit Conversation(const ServeLimits& limits = {}, ServeHooks hooks = {}) : server(sockets.judge, device, limits, std::move(hooks)) {
    thread = std::thread([this] { end = server.serve_until_closed(); });
  }
  ~Conversation() { finish(); }
  void finish() {
    sockets.close_program();
    if (thread.joinable()) thread.join();
  }
};

std::vector<std::byte> pattern(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  return bytes;
}

std::vector<std::byte> message_bytes(std::uint32_t magic, std::int32_t kind, std::uint64_t length, std::span<const std::byte> payload) {
  const Header header{magic, kind, length};
  Writer writer;
  writer.raw(&header, sizeof header).raw(payload.data(), payload.size());
  return std::move(writer.buffer());
}

struct Hostile {
  Turn turn;
  std::string violation;
};

/// What the server makes of these bytes, after which the program closes.
Hostile serve_bytes(std::span<const std::byte> bytes, FakeDevice& device) {
  Pair sockets;
  REQUIRE(::send(sockets.program, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  ::shutdown(sockets.program, SHUT_WR);
  Server server(sockets.judge, device);
  const Turn turn = server.serve_until_closed();
  return {turn, server.report().violation};
}

/// One well-formed request of every kind.
std::vector<std::vector<std::byte>> valid_requests() {
  Launch order;
  order.function = "kernel";
  order.parameters.resize(12);
  Writer launch;
  put(launch, order);
  const std::vector<std::byte> eight(8);
  const auto of = [](Operation operation, const Writer& writer) {
    return message_bytes(kRequestMagic, static_cast<std::int32_t>(operation), writer.view().size(), writer.view());
  };
  return {
      of(Operation::kProperties, Writer()),
      of(Operation::kLoadModule, Writer().text(".version 9.0")),
      of(Operation::kUnloadModule, Writer().u64(1)),
      of(Operation::kFunctionInfo, Writer().u64(1).text("kernel")),
      of(Operation::kFindVariable, Writer().u64(1).text("variable")),
      of(Operation::kAllocate, Writer().u64(100)),
      of(Operation::kFree, Writer().u64(100)),
      of(Operation::kFindAllocation, Writer().u64(100)),
      of(Operation::kMemoryInfo, Writer()),
      of(Operation::kWrite, Writer().u64(100).bytes(eight)),
      of(Operation::kRead, Writer().u64(100).u64(8)),
      of(Operation::kCopy, Writer().u64(1).u64(2).u64(3)),
      of(Operation::kFill, Writer().u64(1).u32(2).i32(4).u64(5)),
      of(Operation::kLaunch, launch),
      of(Operation::kSynchronize, Writer()),
      of(Operation::kTakeOutput, Writer()),
      of(Operation::kAllowShared, Writer().u64(1).text("kernel").u64(100'000)),
  };
}

}  // namespace

TEST_CASE("memory goes through the socket and comes back, in pieces when it is large") {
  Conversation talk;
  SocketDevice device(talk.sockets.program);
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{4096}, std::size_t{kPiece}, std::size_t{kPiece} + 1, std::size_t{5} * kPiece / 2}) {
    Address at = 0, second = 0;
    REQUIRE(device.allocate(size, at).ok());
    REQUIRE(device.allocate(size, second).ok());
    const auto sent = pattern(size);
    REQUIRE(device.write(at, sent).ok());
    REQUIRE(device.copy(second, at, size).ok());
    std::vector<std::byte> back(size);
    REQUIRE(device.read(back, second).ok());
    CHECK(back == sent);
    Address base = 0;
    std::uint64_t bytes = 0;
    CHECK(device.find_allocation(at + size - 1, base, bytes).ok());
    CHECK(base == at);
    CHECK(bytes == size);
    CHECK(device.free(at).ok());
    CHECK_FALSE(device.free(at).ok());
  }
}

TEST_CASE("a large copy that does not fit moves nothing") {
  Conversation talk;
  SocketDevice device(talk.sockets.program);
  Address at = 0;
  REQUIRE(device.allocate(kPiece + 10, at).ok());
  REQUIRE(device.fill(at, 7, 1, kPiece + 10).ok());
  const auto sent = pattern(kPiece + 11);
  const Answer answer = device.write(at, sent);
  CHECK(answer.code == Code::kInvalidValue);
  CHECK(answer.message.find("ends after") != std::string::npos);
  std::vector<std::byte> back(kPiece + 10);
  REQUIRE(device.read(back, at).ok());
  CHECK(std::all_of(back.begin(), back.end(), [](std::byte b) { return b == std::byte{7}; }));
}

TEST_CASE("properties, functions, variables and launches arrive as they were") {
  Conversation talk;
  talk.device.shown.name = "a device of the test";
  talk.device.shown.max_grid = {1, 2, 3};
  talk.device.shown.memory_bus_bits = 77;
  FunctionInfo& info = talk.device.kernels["kernel"].info;
  info.parameter_sizes = {8, 4};
  info.parameter_offsets = {0, 8};
  info.parameter_bytes = 12;
  info.static_shared = 99;
  talk.device.variables["variable"].resize(16);
  talk.device.output = "printed";
  SocketDevice device(talk.sockets.program);

  const Properties properties = device.properties();
  CHECK(properties.name == "a device of the test");
  CHECK(properties.max_grid == std::array<int, 3>{1, 2, 3});
  CHECK(properties.memory_bus_bits == 77);

  std::uint64_t module = 0;
  REQUIRE(device.load_module("text", module).ok());
  CHECK(module == 1);
  FunctionInfo got;
  REQUIRE(device.function_info(module, "kernel", got).ok());
  CHECK(got.parameter_sizes == info.parameter_sizes);
  CHECK(got.parameter_offsets == info.parameter_offsets);
  CHECK(got.static_shared == 99);
  const Answer absent = device.function_info(module, "absent", got);
  CHECK(absent.code == Code::kInvalidDeviceFunction);
  CHECK(absent.message == "no kernel of this name");
  Address at = 0;
  std::uint64_t bytes = 0;
  REQUIRE(device.find_variable(module, "variable", at, bytes).ok());
  CHECK(bytes == 16);

  Launch order;
  order.module = module;
  order.function = "kernel";
  order.grid = {4, 5, 6};
  order.block = {7, 8, 9};
  order.dynamic_shared = 10;
  order.dynamic_shared_limit = 11;
  order.cooperative = true;
  order.parameters = pattern(12);
  REQUIRE(device.launch(order).ok());
  CHECK(device.take_output() == "printed");
  talk.device.sticky = Code::kIllegalAddress;
  CHECK(device.synchronize().code == Code::kIllegalAddress);

  talk.finish();
  REQUIRE(talk.device.launches.size() == 1);
  const Launch& seen = talk.device.launches[0];
  CHECK(seen.function == "kernel");
  CHECK(seen.grid == order.grid);
  CHECK(seen.block == order.block);
  CHECK(seen.dynamic_shared == 10);
  CHECK(seen.dynamic_shared_limit == 11);
  CHECK(seen.cooperative);
  CHECK(seen.parameters == order.parameters);
  CHECK(talk.end == Turn::kClosed);
  CHECK(talk.server.report().launches == 1);
  CHECK(talk.server.report().refused_call == "function info");
}

TEST_CASE("the judge may answer load_module itself and respell names") {
  ServeHooks hooks;
  hooks.load_module = [](std::string_view ptx, std::uint64_t& module) {
    CHECK(ptx == "whatever the program holds");
    module = 42;
    return Answer{};
  };
  hooks.resolve = [](std::string_view name) { return name == "old" ? std::string("new") : std::string(); };
  Conversation talk({}, hooks);
  talk.device.kernels["new"].info.parameter_bytes = 0;
  SocketDevice device(talk.sockets.program);
  std::uint64_t module = 0;
  REQUIRE(device.load_module("whatever the program holds", module).ok());
  CHECK(module == 42);
  FunctionInfo info;
  CHECK(device.function_info(module, "old", info).ok());
  CHECK_FALSE(device.function_info(module, "older", info).ok());
  Launch order;
  order.function = "old";
  REQUIRE(device.launch(order).ok());
  REQUIRE(device.unload_module(module).ok());
  talk.finish();
  CHECK(talk.device.modules.empty());
  CHECK(talk.device.launches.at(0).function == "new");
}

TEST_CASE("a program can neither free what it did not allocate nor take more than its share") {
  ServeLimits limits;
  limits.allocated_bytes = 1000;
  limits.allocations = 2;
  limits.launches = 1;
  Conversation talk(limits);
  Address of_judge = 0, a = 0, b = 0, c = 0;
  REQUIRE(talk.device.allocate(64, of_judge).ok());
  talk.device.kernels["kernel"].info.parameter_bytes = 4;
  SocketDevice device(talk.sockets.program);
  CHECK(device.free(of_judge).code == Code::kInvalidValue);
  CHECK(device.allocate(1001, a).code == Code::kMemoryAllocation);
  CHECK(device.allocate(~std::uint64_t{0}, a).code == Code::kMemoryAllocation);
  REQUIRE(device.allocate(600, a).ok());
  CHECK(device.allocate(600, b).code == Code::kMemoryAllocation);
  REQUIRE(device.allocate(100, b).ok());
  CHECK(device.allocate(1, c).code == Code::kMemoryAllocation);
  REQUIRE(device.free(a).ok());
  CHECK(device.allocate(600, c).ok());

  Launch order;
  order.function = "kernel";
  order.parameters.resize(3);
  CHECK(device.launch(order).code == Code::kInvalidValue);  // 4 bytes of parameters are due
  order.parameters.resize(4);
  CHECK(device.launch(order).ok());
  CHECK(device.launch(order).code == Code::kLaunchTimeout);
}

TEST_CASE("every truncation of every request ends the conversation") {
  for (const auto& request : valid_requests()) {
    FakeDevice device;
    CHECK(serve_bytes(request, device).turn == Turn::kClosed);
    for (std::size_t length = 1; length < request.size(); ++length) {
      const Hostile got = serve_bytes(std::span(request).first(length), device);
      CHECK(got.turn == Turn::kViolation);
      CHECK_FALSE(got.violation.empty());
    }
    // Header says less than the operation needs.
    for (std::size_t payload = 0; payload + sizeof(Header) < request.size(); ++payload) {
      Header header;
      std::memcpy(&header, request.data(), sizeof header);
      const auto cut = message_bytes(kRequestMagic, header.kind, payload, std::span(request).subspan(sizeof header, payload));
      CHECK(serve_bytes(cut, device).turn == Turn::kViolation);
    }
    // ... or more.
    Header header;
    std::memcpy(&header, request.data(), sizeof header);
    auto longer = request;
    longer.push_back(std::byte{0});
    ++header.length;
    std::memcpy(longer.data(), &header, sizeof header);
    CHECK(serve_bytes(longer, device).turn == Turn::kViolation);
    CHECK(device.launches.empty());
  }
}

TEST_CASE("lengths that lie are refused before anything is reserved for them") {
  FakeDevice device;
  const std::uint64_t huge = ~std::uint64_t{0};
  for (int kind = -1; kind < 20; ++kind) {
    for (const std::uint64_t length : {huge, huge / 2, std::uint64_t{1} << 40, (std::uint64_t{64} << 20) + 65}) {
      const Hostile got = serve_bytes(message_bytes(kRequestMagic, kind, length, {}), device);
      CHECK(got.turn == Turn::kViolation);
    }
  }
  // An inner length larger than the payload, also one that would wrap around.
  for (const std::uint64_t inner : {huge, huge - 7, std::uint64_t{9}}) {
    const Writer name = Writer().u64(1).u64(inner).u64(0);
    CHECK(serve_bytes(message_bytes(kRequestMagic, static_cast<int>(Operation::kFunctionInfo), name.view().size(), name.view()), device)
              .turn == Turn::kViolation);
  }
  Writer list;
  list.u64(huge / 2);
  Reader reader(list.view());
  CHECK(reader.u32s().empty());
  CHECK_FALSE(reader.ok());
}

TEST_CASE("well-formed requests with senseless numbers are answered, not obeyed") {
  FakeDevice device;
  const auto send = [&](Operation operation, const Writer& writer) {
    return serve_bytes(message_bytes(kRequestMagic, static_cast<int>(operation), writer.view().size(), writer.view()), device).turn;
  };
  const std::uint64_t huge = ~std::uint64_t{0};
  CHECK(send(Operation::kFill, Writer().u64(1).u32(1).i32(4).u64(huge)) == Turn::kClosed);
  CHECK(send(Operation::kCopy, Writer().u64(huge).u64(huge).u64(huge)) == Turn::kClosed);
  CHECK(send(Operation::kAllocate, Writer().u64(huge)) == Turn::kClosed);
  CHECK(send(Operation::kFill, Writer().u64(1).u32(1).i32(3).u64(1)) == Turn::kViolation);
  CHECK(send(Operation::kRead, Writer().u64(1).u64(kPiece + 1)) == Turn::kViolation);
}

TEST_CASE("random bytes never crash the server") {
  std::mt19937 random(7);
  const auto requests = valid_requests();
  FakeDevice device;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> bytes;
    if (round % 3 == 0) {
      bytes.resize(random() % 200);
      for (auto& b : bytes) b = static_cast<std::byte>(random());
    } else {
      for (int i = 0; i < 3; ++i) {
        const auto& next = requests[random() % requests.size()];
        bytes.insert(bytes.end(), next.begin(), next.end());
      }
      for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips)
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    const Turn turn = serve_bytes(bytes, device).turn;
    CHECK((turn == Turn::kClosed || turn == Turn::kViolation));
  }
}

TEST_CASE("a program that stops in the middle of a message does not hold the server") {
  FakeDevice device;
  Pair sockets;
  ServeLimits limits;
  limits.message_time = std::chrono::milliseconds(30);
  Server server(sockets.judge, device, limits);
  const auto request = valid_requests()[9];
  REQUIRE(::send(sockets.program, request.data(), 20, 0) == 20);
  CHECK(server.serve_one() == Turn::kViolation);
  CHECK(server.report().violation == "a request did not arrive whole in time");

  ServeHooks hooks;
  int asked = 0;
  hooks.stop = [&] { return ++asked > 1; };
  Server stopped(sockets.judge, device, {}, hooks);
  ::recv(sockets.judge, std::vector<char>(64).data(), 64, MSG_DONTWAIT);
  CHECK(stopped.serve_one() == Turn::kStopped);
}

TEST_CASE("a program whose judge is gone gets an error from every call") {
  Pair sockets;
  SocketDevice device(sockets.program);
  ::shutdown(sockets.judge, SHUT_RDWR);
  Address at = 0;
  CHECK(device.allocate(1, at).code == Code::kUnknown);
  CHECK(device.synchronize().message == "the connection to the device is gone");
}

TEST_CASE("several threads of a program take turns") {
  Conversation talk;
  SocketDevice device(talk.sockets.program);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        Address at = 0;
        const auto sent = pattern(static_cast<std::size_t>(100 + t));
        std::vector<std::byte> back(sent.size());
        if (!device.allocate(sent.size(), at).ok() || !device.write(at, sent).ok() || !device.read(back, at).ok() || back != sent) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a judge makes single calls fail, and they do nothing") {
  std::vector<Operation> asked;
  ServeHooks hooks;
  hooks.refuse = [&](Operation operation) {
    asked.push_back(operation);
    return operation == Operation::kAllowShared || (operation == Operation::kAllocate && asked.size() == 1)
               ? Answer{Code::kMemoryAllocation, "made to fail"}
               : Answer{};
  };
  Conversation talk({}, std::move(hooks));
  SocketDevice device(talk.sockets.program);
  Address address = 0;
  CHECK(device.allocate(64, address).code == Code::kMemoryAllocation);
  CHECK(device.allocate(64, address).ok());
  CHECK(device.fill(address, 7, 1, 64).ok());
  CHECK(device.allow_shared(1, "kernel", 100'000).message == "made to fail");
  talk.finish();
  CHECK(talk.server.report().refused_call == "allocate");
  CHECK(asked == std::vector{Operation::kAllocate, Operation::kAllocate, Operation::kFill, Operation::kAllowShared});
}

TEST_CASE("a judge hears how much memory went to the program and came from it, and nothing of copies that were refused") {
  std::vector<std::tuple<Operation, Address, std::uint64_t>> heard;
  ServeHooks hooks;
  hooks.copied = [&](Operation operation, Address address, std::uint64_t bytes) { heard.emplace_back(operation, address, bytes); };
  Conversation talk({}, std::move(hooks));
  SocketDevice device(talk.sockets.program);
  Address address = 0;
  REQUIRE(device.allocate(64, address).ok());
  std::vector<std::byte> bytes(48);
  CHECK(device.write(address, bytes).ok());
  CHECK(device.read(std::span(bytes).first(16), address + 8).ok());
  CHECK_FALSE(device.read(bytes, 0).ok());
  CHECK(device.fill(address, 7, 1, 64).ok());
  talk.finish();
  REQUIRE(heard.size() == 2);
  CHECK(heard[0] == std::tuple(Operation::kWrite, address, std::uint64_t{48}));
  CHECK(heard[1] == std::tuple(Operation::kRead, address + 8, std::uint64_t{16}));
}
