#include "judge/device/requests.hpp"

namespace warpbook::device {
namespace {

constexpr std::uint64_t kFrame = 64;  // lengths and numbers around a long payload

/// The same walk over the integers of Properties writes and reads them, so the two cannot disagree on the order.
template <class P, class Visit>
void each_int(P& p, Visit visit) {
  for (auto* field : {&p.major,
                      &p.minor,
                      &p.multiprocessors,
                      &p.max_threads_per_block,
                      &p.max_threads_per_multiprocessor,
                      &p.max_blocks_per_multiprocessor,
                      &p.max_block[0],
                      &p.max_block[1],
                      &p.max_block[2],
                      &p.max_grid[0],
                      &p.max_grid[1],
                      &p.max_grid[2],
                      &p.shared_per_block,
                      &p.shared_per_block_optin,
                      &p.shared_per_multiprocessor,
                      &p.reserved_shared_per_block,
                      &p.registers_per_block,
                      &p.l2_bytes,
                      &p.clock_khz,
                      &p.memory_clock_khz,
                      &p.memory_bus_bits})
    visit(*field);
}

void put(Writer& writer, const Dim3& d) { writer.u32(d.x).u32(d.y).u32(d.z); }

Dim3 get_dim(Reader& reader) {
  Dim3 d;
  d.x = reader.u32();
  d.y = reader.u32();
  d.z = reader.u32();
  return d;
}

}  // namespace

std::optional<std::uint64_t> request_limit(std::int32_t operation, std::uint64_t module_bytes) {
  switch (static_cast<Operation>(operation)) {
    case Operation::kLoadModule: return module_bytes + kFrame;
    case Operation::kWrite: return kPiece + kFrame;
    case Operation::kFunctionInfo:
    case Operation::kFindVariable:
    case Operation::kAllowShared:
    case Operation::kLaunch: return kSmallRequest;
    case Operation::kProperties:
    case Operation::kUnloadModule:
    case Operation::kAllocate:
    case Operation::kFree:
    case Operation::kFindAllocation:
    case Operation::kMemoryInfo:
    case Operation::kRead:
    case Operation::kCopy:
    case Operation::kFill:
    case Operation::kSynchronize:
    case Operation::kTakeOutput: return kFrame;
  }
  return std::nullopt;
}

void put(Writer& writer, const Properties& properties) {
  writer.text(properties.name).u64(properties.memory);
  each_int(properties, [&](int value) { writer.i32(value); });
}

void get(Reader& reader, Properties& properties) {
  properties.name = reader.text();
  properties.memory = reader.u64();
  each_int(properties, [&](int& value) { value = reader.i32(); });
}

void put(Writer& writer, const FunctionInfo& info) {
  writer.u32s(info.parameter_sizes).u32s(info.parameter_offsets).u32(info.parameter_bytes).i32(info.max_threads_per_block);
  writer.i32(info.registers).u64(info.static_shared).u64(info.local_bytes).u64(info.constant_bytes);
}

void get(Reader& reader, FunctionInfo& info) {
  info.parameter_sizes = reader.u32s();
  info.parameter_offsets = reader.u32s();
  info.parameter_bytes = reader.u32();
  info.max_threads_per_block = reader.i32();
  info.registers = reader.i32();
  info.static_shared = reader.u64();
  info.local_bytes = reader.u64();
  info.constant_bytes = reader.u64();
}

void put(Writer& writer, const Launch& launch) {
  writer.u64(launch.module).text(launch.function);
  put(writer, launch.grid);
  put(writer, launch.block);
  writer.u64(launch.dynamic_shared).u64(launch.dynamic_shared_limit).u8(launch.cooperative ? 1 : 0).bytes(launch.parameters);
}

void get(Reader& reader, Launch& launch) {
  launch.module = reader.u64();
  launch.function = reader.text();
  launch.grid = get_dim(reader);
  launch.block = get_dim(reader);
  launch.dynamic_shared = reader.u64();
  launch.dynamic_shared_limit = reader.u64();
  launch.cooperative = reader.u8() != 0;
  const auto parameters = reader.bytes();
  launch.parameters.assign(parameters.begin(), parameters.end());
}

}  // namespace warpbook::device
