#include "judge/vgpu/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "judge/device/fault_text.hpp"
#include "judge/device/occupancy.hpp"
#include "judge/vgpu/grid.hpp"

namespace warpbook::vgpu {

namespace {

using device::Answer;
using device::Code;

/// Local memory that a thread can have (CUDA programming guide, technical specifications).
constexpr std::uint32_t kMostLocalBytes = 512 * 1024;

bool within(const device::Dim3& size, const std::array<int, 3>& limit) {
  return size.x <= static_cast<std::uint32_t>(limit[0]) && size.y <= static_cast<std::uint32_t>(limit[1]) &&
         size.z <= static_cast<std::uint32_t>(limit[2]);
}

Answer check_shape(const device::Launch& launch, const ptx::Function& entry, const device::Properties& properties) {
  if (launch.grid.count() == 0)
    return {Code::kInvalidConfiguration, fmt::format("the grid {} has no blocks", device::text_of(launch.grid))};
  if (launch.block.count() == 0)
    return {Code::kInvalidConfiguration, fmt::format("the block {} has no threads", device::text_of(launch.block))};
  if (!within(launch.grid, properties.max_grid)) {
    return {Code::kInvalidConfiguration,
            fmt::format("the grid {} is larger than ({})", device::text_of(launch.grid), fmt::join(properties.max_grid, ", "))};
  }
  if (!within(launch.block, properties.max_block)) {
    return {Code::kInvalidConfiguration,
            fmt::format("the block {} has {} threads and is larger than ({}); all its threads together may be {}",
                        device::text_of(launch.block), launch.block.count(), fmt::join(properties.max_block, ", "),
                        properties.max_threads_per_block)};
  }
  const std::uint64_t threads = launch.block.count();
  if (threads > static_cast<std::uint64_t>(properties.max_threads_per_block)) {
    return {Code::kInvalidConfiguration, fmt::format("the block {} has {} threads, {} are possible", device::text_of(launch.block), threads,
                                                     properties.max_threads_per_block)};
  }
  const int limit = thread_limit(entry, properties);
  if (threads > static_cast<std::uint64_t>(limit)) {
    return {Code::kLaunchOutOfResources,
            fmt::format("the block {} has {} threads, the kernel was compiled for at most {} (__launch_bounds__)",
                        device::text_of(launch.block), threads, limit)};
  }
  const std::uint32_t* required = entry.required_threads;
  if (required[0] != 0 &&
      (launch.block.x != required[0] || launch.block.y != std::max(required[1], 1u) || launch.block.z != std::max(required[2], 1u))) {
    return {Code::kLaunchOutOfResources,
            fmt::format("the block is {}, the kernel was compiled for ({}, {}, {})", device::text_of(launch.block), required[0],
                        std::max(required[1], 1u), std::max(required[2], 1u))};
  }
  return {};
}

Answer check_shared(const device::Launch& launch, const Program& program, const device::Properties& properties) {
  const std::uint64_t total = program.static_shared + launch.dynamic_shared;
  const auto standard = static_cast<std::uint64_t>(properties.shared_per_block),
             most = static_cast<std::uint64_t>(properties.shared_per_block_optin);
  if (total > most) {
    return {Code::kInvalidValue, fmt::format("{} bytes of shared memory ({} static, {} dynamic) are more than the {} a block can have",
                                             total, program.static_shared, launch.dynamic_shared, most)};
  }
  if (total > standard && launch.dynamic_shared > launch.dynamic_shared_limit) {
    return {Code::kInvalidValue,
            launch.dynamic_shared_limit == 0
                ? fmt::format("{} bytes of shared memory ({} static, {} dynamic) need cudaFuncAttributeMaxDynamicSharedMemorySize: without "
                              "it a block has {}, with it up to {}",
                              total, program.static_shared, launch.dynamic_shared, standard, most)
                : fmt::format("{} bytes of dynamic shared memory, cudaFuncAttributeMaxDynamicSharedMemorySize allows {}",
                              launch.dynamic_shared, launch.dynamic_shared_limit)};
  }
  return {};
}

}  // namespace

int thread_limit(const ptx::Function& entry, const device::Properties& properties) {
  if (entry.max_threads != 0) return std::min(static_cast<int>(entry.max_threads), properties.max_threads_per_block);
  return properties.max_threads_per_block;
}

std::uint64_t resident_blocks(const device::Launch& launch, const Program& program, const device::Properties& properties) {
  constexpr int kNoRegisters = 0;  // ptxas is not asked: they are left out of the account
  const int each =
      device::occupancy_of(static_cast<int>(launch.block.count()), kNoRegisters, program.static_shared + launch.dynamic_shared, properties)
          .blocks;
  return static_cast<std::uint64_t>(std::max(each, 1)) * static_cast<std::uint64_t>(properties.multiprocessors);
}

Answer check_launch(const device::Launch& launch, const Program& program, const device::Properties& properties) {
  if (Answer shape = check_shape(launch, program.entry(), properties); !shape.ok()) return shape;
  if (Answer shared = check_shared(launch, program, properties); !shared.ok()) return shared;
  if (launch.parameters.size() < program.parameter_bytes) {
    return {Code::kInvalidValue,
            fmt::format("the kernel takes {} bytes of parameters, {} were given", program.parameter_bytes, launch.parameters.size())};
  }
  if (program.stack_bytes > kMostLocalBytes) {
    return {Code::kLaunchOutOfResources,
            fmt::format("the kernel needs {} bytes of local memory per thread, {} are possible", program.stack_bytes, kMostLocalBytes)};
  }
  const std::uint64_t resident = resident_blocks(launch, program, properties);
  if (launch.cooperative && launch.grid.count() > resident) {
    return {Code::kCooperativeLaunchTooLarge,
            fmt::format("a cooperative launch of {} blocks, of which {} fit on the device at once", launch.grid.count(), resident)};
  }
  return {};
}

void run_launch(LaunchContext& context) {
  const Program& program = context.program;
  context.shared_regions = program.shared_regions;
  context.shared_regions.back().bytes = context.launch.dynamic_shared;
  context.shared_extent = context.shared_regions.back().end();
  if (program.parameter_bytes != 0) std::memcpy(program.parameters->data, context.launch.parameters.data(), program.parameter_bytes);
  for (const ProgramFunction& function : program.functions) {
    for (const MemoryPlan& plan : function.memory_plans) plan.last_region = nullptr;
  }
  Grid(context, resident_blocks(context.launch, program, context.options.properties)).run();
}

}  // namespace warpbook::vgpu
