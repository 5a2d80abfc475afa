// Programs that nvcc built, on our library: the whole way from a kernel launch in C++ to the virtual GPU and back.
#include <unistd.h>

#include <cstring>

#include "judge/device/fake_device.hpp"
#include "judge/run/process.hpp"
#include "judge/run/worker.hpp"
#include "judge/tests/catch.hpp"
#include "judge/vgpu/vgpu.hpp"

using namespace warpbook;

namespace {

run::Outcome tour(const std::string& program, const char* stop) {
  run::Command command;
  command.argv = {std::string(WARPBOOK_PROGRAMS) + "/" + program, stop};
  command.set_environment["LD_LIBRARY_PATH"] = WARPBOOK_CUDART_FOLDER;
  command.limits.wall = std::chrono::seconds(60);
  auto outcome = run::run(command);
  REQUIRE(outcome);
  return *outcome;
}

run::WorkerRequest submission() {
  run::WorkerRequest request;
  request.worker = WARPBOOK_WORKER;
  request.runtime = std::string(WARPBOOK_CUDART_FOLDER) + "/libcudart.so.13";
  request.submission = std::string(WARPBOOK_PROGRAMS) + "/submission.so";
  request.limits.wall = std::chrono::seconds(20);
  return request;
}

template <class T>
run::WorkerArgument value(T v) {
  std::vector<std::byte> bytes(sizeof v);
  std::memcpy(bytes.data(), &v, sizeof v);
  return bytes;
}

}  // namespace

TEST_CASE("a tour through the runtime comes out the same for every kind of stub and packing") {
  // Default build (zstd, stubs of version 13), LZ4, plain with line info, stubs of version 12, one stream per thread, no machine code.
  for (const char* program : {"tour_default", "tour_lz4", "tour_plain", "tour_legacy", "tour_per_thread"}) {
    INFO(program);
    CHECK(tour(program, "arithmetic").out == "2 13 9993\n200 600\ncudaSuccess\n");
    CHECK(tour(program, "structures").out == "32 1\n13 10\n");
    CHECK(tour(program, "symbols").out == "25\n16 1 4\n");
    CHECK(tour(program, "refusals").out ==
          "cudaErrorInvalidValue\ncudaErrorInvalidValue\ncudaErrorInvalidValue\ncudaSuccess\ncudaErrorInvalidValue\n"
          "cudaErrorInvalidValue\ncudaSuccess\n");
    CHECK(tour(program, "queries").out ==
          "warp 32, block 1024, capability 8 or newer\nblock 1024, blocks 8, max 1024, version 13\ntimed cudaSuccess\n");
  }
}

TEST_CASE("what kernels print appears at synchronisation, and at the end") {
  const run::Outcome outcome = tour("tour_plain", "printing");
  CHECK(outcome.out == "before\nbetween\nthread 0 says hello\nthread 1 says hello\nthread 2 says hello\nafter\nthread 0 says hello\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("a fault is known at synchronisation, stays, and is reported once on stderr") {
  const run::Outcome outcome = tour("tour_plain", "faults");
  CHECK(outcome.out ==
        "launch cudaSuccess\nsynchronize cudaErrorIllegalAddress\nlast cudaErrorIllegalAddress\nmalloc cudaErrorIllegalAddress\n");
  const std::size_t report = outcome.err.find("out of bounds in overrun");
  REQUIRE(report != std::string::npos);
  CHECK(outcome.err.find("out of bounds", report + 1) == std::string::npos);
  CHECK(outcome.err.find("tour.cu:37") != std::string::npos);
}

TEST_CASE("a refused call says why on stderr") {
  const run::Outcome outcome = tour("tour_plain", "refusals");
  CHECK(outcome.err.find("warpbook: cudaMemcpy: ") != std::string::npos);
}

TEST_CASE("a program without PTX is told how to be rebuilt") {
  const run::Outcome outcome = tour("tour_machine", "symbols");
  CHECK(outcome.err.find("the program holds no PTX, only machine code for sm_80: rebuild with -gencode arch=compute_80,code=compute_80") !=
        std::string::npos);
}

TEST_CASE("a submission is launched by a worker on the judge's virtual GPU") {
  vgpu::Options options;
  const auto gpu = vgpu::VirtualGpu::create(options);
  constexpr int kCount = 300;
  std::vector<float> x(kCount), y(kCount);
  for (int i = 0; i < kCount; ++i) x[i] = static_cast<float>(i);
  device::Address dx = 0, dy = 0;
  REQUIRE(gpu->allocate(kCount * sizeof(float), dx).ok());
  REQUIRE(gpu->allocate(kCount * sizeof(float), dy).ok());
  REQUIRE(gpu->write(dx, std::as_bytes(std::span(x))).ok());
  run::WorkerRequest request = submission();
  request.order.arguments = {value(dx), value(dy), value(kCount)};
  const run::WorkerOutcome outcome = run::run_worker(request, gpu.get());
  INFO(outcome.message << outcome.reply.message << outcome.err);
  REQUIRE(outcome.ending == run::WorkerEnding::kReplied);
  REQUIRE(outcome.reply.stage == run::WorkerStage::kFinished);
  CHECK(outcome.reply.launch_code == 0);
  CHECK(outcome.reply.synchronize_code == 0);
  CHECK(outcome.device.launches == 1);
  REQUIRE(gpu->read(std::as_writable_bytes(std::span(y)), dy).ok());
  CHECK(y[299] == 598.0f);

  // One more element than there is room for: the judge's own device knows what happened.
  request.order.arguments[2] = value(kCount + 1);
  const run::WorkerOutcome over = run::run_worker(request, gpu.get());
  CHECK(over.reply.synchronize_code == 700);
  REQUIRE(gpu->faults().size() == 1);
  CHECK(gpu->faults()[0].kind == device::FaultKind::kOutOfBounds);
}

TEST_CASE("the worker's module may be the judge's own, under names of another compilation") {
  device::FakeDevice device;
  std::string asked;
  device.kernels["the judge's kernel"].info.parameter_sizes = {8, 8, 4};
  device.kernels["the judge's kernel"].info.parameter_offsets = {0, 8, 16};
  device.kernels["the judge's kernel"].info.parameter_bytes = 20;
  run::WorkerRequest request = submission();
  request.order.arguments = {value(std::uint64_t{1}), value(std::uint64_t{2}), value(256)};
  request.hooks.load_module = [](std::string_view ptx, std::uint64_t& module) {
    CHECK(ptx.find(".target sm_80") != std::string_view::npos);
    module = 9;
    return device::Answer{};
  };
  request.hooks.resolve = [&](std::string_view name) {
    asked = name;
    return std::string("the judge's kernel");
  };
  const run::WorkerOutcome outcome = run::run_worker(request, &device);
  REQUIRE(outcome.ending == run::WorkerEnding::kReplied);
  CHECK(asked.find("twice") != std::string::npos);
  REQUIRE(device.launches.size() == 1);
  CHECK(device.launches[0].module == 9);
  CHECK(device.launches[0].grid.x == 2);
  CHECK(device.launches[0].block.x == 128);
  std::uint64_t second = 0;
  std::memcpy(&second, device.launches[0].parameters.data() + 8, sizeof second);
  CHECK(second == 2);
}
