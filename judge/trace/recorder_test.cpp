// What a recording holds, on kernels small enough to know the answer. How the page shows it: judge/tests/cli/trace_page_test.cpp.
#include "judge/trace/recorder.hpp"

#include <cstring>

#include "judge/vgpu/test_gpu.hpp"

using namespace warpbook;
using namespace warpbook::trace;
using vgpu::testing::TestGpu;

namespace {

/// 64 threads: each stores its number to shared memory, meets the others at a barrier that counts those below 40, and reads what the thread
/// 32 away stored. Odd threads leave in between the two halves of the kernel, after the barrier.
constexpr const char* kKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<4>;
  .shared .align 4 .b8 s[256];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, s;
  add.u32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
  setp.lt.u32 %p0, %r1, 40;
  bar.red.popc.u32 %r0, 0, %p0;
  xor.b32 %r5, %r2, 128;
  add.u32 %r6, %r3, %r5;
  ld.shared.u32 %r7, [%r6];
  // warpbook.watch s32 other = %r7
  and.b32 %r8, %r1, 1;
  setp.eq.u32 %p1, %r8, 1;
  @%p1 exit;
  ld.param.u64 %d1, [out];
  cvt.u64.u32 %d2, %r2;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r7;
  ret;
})";

/// Reads a stream's pieces as viewer/stream.js does.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}
  template <class T>
  T get() {
    T value{};
    REQUIRE(at_ + sizeof value <= text_.size());
    std::memcpy(&value, text_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t wide(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{get<std::uint8_t>()} << 8 * i;
    return value;
  }
  std::vector<std::uint64_t> lanes(vgpu::LaneMask mask, int bytes) {
    std::vector<std::uint64_t> out(vgpu::kWarpSize, 0);
    const auto how = get<std::uint8_t>();
    const std::uint64_t base = how == kRaw ? 0 : wide(bytes), step = how == kAffine ? wide(bytes) : 0;
    const std::uint64_t kept = bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
    for (int lane = 0; lane < vgpu::kWarpSize; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      const auto distance = static_cast<std::uint64_t>(lane - __builtin_ctz(mask));
      out[static_cast<std::size_t>(lane)] = how == kRaw ? wide(bytes) : (base + step * distance) & kept;
    }
    return out;
  }
  bool done() const { return at_ == text_.size(); }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

Recording record(Order order, bool complete = true) {
  Recorder recorder(std::move(order));
  vgpu::Options options;
  options.tracer = [&](std::uint64_t launch, const vgpu::LaunchContext& context) { return recorder.at_launch(launch, context); };
  TestGpu gpu(kKernel, options);
  const device::Address out = gpu.buffer(std::vector<std::uint32_t>(64, 0), "out");
  for (int launch = 0; launch < 2; ++launch) gpu.launch("k", {3, 1, 1}, {64, 1, 1}, out);
  CHECK(gpu.read<std::uint32_t>(out, 64)[2] == 34);
  return recorder.finish(complete);
}

const Event& event_of(const Recording& recording, int warp, const std::string& op) {
  for (const Event& event : recording.events)
    if (event.warp == warp && recording.sites[event.site]["op"] == op) return event;
  FAIL("no " << op);
  return recording.events.front();
}

}  // namespace

TEST_CASE("lanes are kept as one number, as a sequence, or one by one, and come back", "[trace]") {
  struct Row {
    vgpu::LaneMask mask;
    int bytes;
    std::uint64_t first, step;
    std::size_t size;
  };
  for (const Row& row : {Row{0xFFFFFFFF, 4, 7, 0, 5}, Row{0xFFFFFFFF, 8, 0x7'0000'0000, 4, 17}, Row{0xFF00, 4, 100, 0xFFFFFFFC, 9},
                         Row{0x80000000, 2, 5, 9, 3}}) {
    std::uint64_t value[vgpu::kWarpSize];
    for (std::uint64_t lane = 0; lane < vgpu::kWarpSize; ++lane) value[lane] = row.first + row.step * lane;
    Bytes bytes;
    bytes.put_lanes(row.mask, value, row.bytes);
    CHECK(bytes.size() == row.size);
    const std::vector<std::uint64_t> back = Reader(bytes.text()).lanes(row.mask, row.bytes);
    const std::uint64_t kept = row.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * row.bytes) - 1;
    for (std::size_t lane = 0; lane < back.size(); ++lane)
      if ((row.mask >> lane & 1u) != 0) CHECK(back[lane] == (value[lane] & kept));
  }
  const std::uint64_t squares[vgpu::kWarpSize] = {0, 1, 4, 9, 16};
  Bytes bytes;
  bytes.put_lanes(0x1F, squares, 4);
  CHECK(bytes.size() == 1 + 5 * 4);
  CHECK(Reader(bytes.text()).lanes(0x1F, 4)[3] == 9);
}

TEST_CASE("one block of one launch is recorded, every step of it", "[trace]") {
  const Recording recording = record({.launch = 2, .block = {1}});
  CHECK(recording.launch == 2);
  CHECK(recording.launches == 2);
  CHECK(recording.kernel == "k");
  CHECK(recording.index == nlohmann::json({1, 0, 0}));
  CHECK(recording.grid == nlohmann::json({3, 1, 1}));
  CHECK(recording.events.size() == recording.steps);
  CHECK(recording.events.size() == 2 * 18);  // every instruction once in each warp; those behind the exit with half of its lanes
  CHECK_FALSE(recording.truncated);
  CHECK(event_of(recording, 0, "st.global.u32").mask == 0x55555555);
  CHECK(event_of(recording, 1, "exit").active == 0xAAAAAAAA);
}

TEST_CASE("results, accesses and shared memory belong to the step that made them", "[trace]") {
  const Recording recording = record({.launch = 1});
  const Event& load = event_of(recording, 1, "ld.shared.u32");
  REQUIRE(load.value_count == 1);
  Reader value(load.values.text());
  const auto reg = value.get<std::uint16_t>();
  CHECK(recording.registers[reg]["name"] == "%r7");
  REQUIRE(recording.registers[reg]["watch"].size() == 1);
  CHECK(recording.watches[recording.registers[reg]["watch"][0].get<std::size_t>()]["name"] == "other");
  CHECK(value.get<std::uint32_t>() == 0xFFFFFFFF);  // lanes
  CHECK(value.get<std::uint32_t>() == 0);           // none of them undefined
  CHECK(value.get<std::uint8_t>() == 4);
  CHECK(value.lanes(0xFFFFFFFF, 4)[5] == 5);  // thread 37 reads what thread 5 stored
  CHECK(value.done());

  REQUIRE(load.access_count == 1);
  Reader access(load.accesses.text());
  CHECK(access.get<std::uint8_t>() == (1 | 4));  // shared, reads
  access.get<std::uint16_t>();
  CHECK(access.get<std::uint8_t>() == 4);
  CHECK(access.get<std::uint32_t>() == 0xFFFFFFFF);
  CHECK(access.lanes(0xFFFFFFFF, 8)[5] == 20);

  const Event& store = event_of(recording, 1, "st.shared.u32");
  REQUIRE(store.word_count == 32);
  Reader words(store.words.text());
  CHECK(words.get<std::uint32_t>() == 128);  // thread 32's place
  CHECK(words.get<std::uint32_t>() == 32);
  CHECK(words.get<std::uint8_t>() == 0);
  CHECK(recording.shared[0]["name"] == "s");
  CHECK(recording.shared[0]["bytes"] == 256);

  // The count of a barrier is known when the last warp comes; it belongs to the first warp's step all the same.
  const Event& barrier = event_of(recording, 0, "bar.red.popc.u32");
  REQUIRE(barrier.value_count == 1);
  Reader count(barrier.values.text());
  CHECK(recording.registers[count.get<std::uint16_t>()]["name"] == "%r0");
  count.get<std::uint64_t>();
  count.get<std::uint8_t>();
  CHECK(count.lanes(0xFFFFFFFF, 4)[31] == 40);

  const Event& global = event_of(recording, 0, "st.global.u32");
  Reader written(global.accesses.text());
  CHECK(written.get<std::uint8_t>() == 8);  // global, writes
  CHECK(recording.regions[written.get<std::uint16_t>()]["name"] == "out");
}

TEST_CASE("a warp waits at the barrier until the other one has come", "[trace]") {
  const Recording recording = record({.launch = 1});
  std::vector<std::pair<int, int>> changes;  // warp, state and barrier
  for (const Event& event : recording.events) {
    Reader states(event.states.text());
    for (int i = 0; i < event.state_count; ++i) {
      const int warp = states.get<std::uint8_t>();
      changes.emplace_back(warp, states.get<std::uint16_t>());
    }
  }
  const int waits = static_cast<int>(WarpState::kBarrier), ready = static_cast<int>(WarpState::kReady),
            exited = static_cast<int>(WarpState::kExited);
  REQUIRE(changes.size() >= 4);
  CHECK(changes.front() == std::pair{0, waits});
  CHECK(std::count(changes.begin(), changes.end(), std::pair{0, ready}) == 1);
  CHECK(std::count(changes.begin(), changes.end(), std::pair{0, exited}) == 1);
  CHECK(std::count(changes.begin(), changes.end(), std::pair{1, exited}) == 1);
}

TEST_CASE("an asynchronous copy is drawn where it begins, and its bytes come where it is waited for", "[trace]") {
  constexpr const char* kCopies = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in) {
  .reg .b32 %r<4>; .reg .b64 %d<3>;
  .shared .align 16 .b8 s[512];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, s;
  add.u32 %r3, %r3, %r2;
  ld.param.u64 %d1, [in];
  cvt.u64.u32 %d2, %r2;
  add.u64 %d1, %d1, %d2;
  cp.async.ca.shared.global [%r3], [%d1], 4;
  add.u32 %r2, %r2, 1;
  cp.async.wait_all;
  add.u32 %r2, %r2, 1;
  ret;
})";
  Recorder recorder({.launch = 1});
  vgpu::Options options;
  options.tracer = [&](std::uint64_t launch, const vgpu::LaunchContext& context) { return recorder.at_launch(launch, context); };
  TestGpu gpu(kCopies, options);
  std::vector<std::uint32_t> values(32);
  for (std::uint32_t i = 0; i < 32; ++i) values[i] = 100 + i;
  REQUIRE(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, gpu.buffer(values, "in")).ok());
  const Recording recording = recorder.finish(true);

  const Event& copy = event_of(recording, 0, "cp.async.ca.shared.global");
  REQUIRE(copy.access_count == 2);
  CHECK(copy.word_count == 0);  // nothing has come yet
  Reader access(copy.accesses.text());
  CHECK(access.get<std::uint8_t>() == 4);  // global, reads
  CHECK(recording.regions[access.get<std::uint16_t>()]["name"] == "in");
  CHECK(access.get<std::uint8_t>() == 4);
  CHECK(access.get<std::uint32_t>() == 0xFFFFFFFF);
  CHECK(access.lanes(0xFFFFFFFF, 8)[5] == 20);
  CHECK(access.get<std::uint8_t>() == (1 | 8));  // shared, writes
  const Event& wait = event_of(recording, 0, "cp.async.wait_all");
  REQUIRE(wait.word_count == 32);
  Reader words(wait.words.text());
  CHECK(words.get<std::uint32_t>() == 0);
  CHECK(words.get<std::uint32_t>() == 100);
  CHECK(words.get<std::uint8_t>() == 255);
}

TEST_CASE("a block of 1,024 threads in two dimensions is recorded whole, warp by warp", "[trace]") {
  Recorder recorder({.launch = 1, .block = {1, 1, 0}});
  vgpu::Options options;
  options.tracer = [&](std::uint64_t launch, const vgpu::LaunchContext& context) { return recorder.at_launch(launch, context); };
  TestGpu gpu(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<5>; .reg .b64 %d<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  // warpbook.watch s32 row = %r2
  ld.param.u64 %d1, [out];
  mad.wide.u32 %d2, %r4, 4, %d1;
  st.global.u32 [%d2], %r2;
  ret;
})",
              options);
  REQUIRE(gpu.launch("k", {2, 2, 1}, {64, 16, 1}, gpu.buffer(std::vector<std::uint32_t>(1024), "out")).ok());
  const Recording recording = recorder.finish(true);
  CHECK(recording.index == nlohmann::json({1, 1, 0}));
  CHECK(recording.block == nlohmann::json({64, 16, 1}));
  CHECK(recording.events.size() == 32 * 8);
  const Event& store = event_of(recording, 31, "st.global.u32");
  Reader access(store.accesses.text());
  access.get<std::uint32_t>();  // kind, region, bytes
  CHECK(access.get<std::uint32_t>() == 0xFFFFFFFF);
  CHECK(access.lanes(0xFFFFFFFF, 8)[31] == 4 * 1023);
  for (const Event& event : recording.events) {
    if (event.warp != 31 || recording.sites[event.site]["ptx"].get<std::string>().find("%tid.y") == std::string::npos) continue;
    REQUIRE(event.value_count == 1);
    Reader value(event.values.text());
    value.get<std::uint16_t>();
    value.get<std::uint64_t>();
    value.get<std::uint8_t>();
    CHECK(value.lanes(0xFFFFFFFF, 4)[0] == 15);  // the last row of the block
  }
}

TEST_CASE("a function that calls itself is recorded in every activation, and a window may begin inside it", "[trace]") {
  constexpr const char* kRecursion = R"(.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 result) down(.param .b32 n) {
  .reg .pred %p<2>; .reg .b32 %r<5>;
  ld.param.b32 %r1, [n];
  // warpbook.watch s32 depth = %r1
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r3, 0;
  @%p1 bra DONE;
  sub.u32 %r2, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), down, (a); ld.param.b32 %r3, [b]; }
  add.u32 %r3, %r3, %r1;
DONE:
  st.param.b32 [result], %r3;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %d<2>;
  mov.u32 %r1, 4;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), down, (a); ld.param.b32 %r2, [b]; }
  ld.param.u64 %d1, [out];
  st.global.u32 [%d1], %r2;
  ret;
})";
  const auto trace = [&](Order order) {
    Recorder recorder(std::move(order));
    vgpu::Options options;
    options.tracer = [&](std::uint64_t launch, const vgpu::LaunchContext& context) { return recorder.at_launch(launch, context); };
    TestGpu gpu(kRecursion, options);
    const device::Address out = gpu.buffer(std::vector<std::uint32_t>(1), "out");
    REQUIRE(gpu.launch("k", {1, 1, 1}, {1, 1, 1}, out).ok());
    CHECK(gpu.read<std::uint32_t>(out, 1)[0] == 10);
    return recorder.finish(true);
  };
  // The values that the watched register takes as its parameter is loaded, activation by activation.
  const auto depths = [](const Recording& recording) {
    std::vector<std::uint64_t> out;
    for (const Event& event : recording.events) {
      Reader values(event.values.text());
      for (int i = 0; i < event.value_count; ++i) {
        const auto& reg = recording.registers[values.get<std::uint16_t>()];
        const auto lanes = values.get<std::uint32_t>();
        values.get<std::uint32_t>();
        const int bytes = values.get<std::uint8_t>();
        const auto value = values.lanes(lanes, std::max(bytes, 1));
        if (!reg["watch"].empty()) out.push_back(value[0]);
      }
    }
    return out;
  };
  const Recording whole = trace({.launch = 1});
  CHECK(depths(whole) == std::vector<std::uint64_t>{4, 3, 2, 1, 0});
  CHECK(whole.events.size() == whole.steps);

  // Behind the load of the second activation: what it holds is known though nobody saw it come, and the deeper ones follow.
  std::uint64_t second = 0;
  int loads = 0;
  for (std::size_t i = 0; i < whole.events.size() && loads < 2; ++i) {
    if (whole.sites[whole.events[i].site]["ptx"].get<std::string>().find("[n]") != std::string::npos && ++loads == 2) second = i + 1;
  }
  REQUIRE(loads == 2);
  const Recording later = trace({.launch = 1, .from = second});
  CHECK(depths(later) == std::vector<std::uint64_t>{3, 2, 1, 0});
}

TEST_CASE("a window keeps its steps and knows what was before it", "[trace]") {
  const Recording first = record({.launch = 1, .steps = 10});
  CHECK(first.events.size() == 10);
  CHECK(first.truncated);
  const Recording later = record({.launch = 1, .from = 20, .steps = 1000});
  CHECK(later.first == 20);
  CHECK(later.events.size() == 2 * 18 - 20);
  CHECK_FALSE(later.truncated);
  CHECK(later.events.front().word_count == 64);  // shared memory, which was written before the window
  CHECK(record({.launch = 3}).launch == 0);
  CHECK(record({.launch = 1, .block = {7}}).events.empty());
}
