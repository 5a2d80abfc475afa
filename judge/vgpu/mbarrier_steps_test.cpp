// mbarriers in kernels: what is wrong with the ones that are misused, and who is still waiting when nobody can go on.
#include <fmt/format.h>

#include "judge/vgpu/test_programs.hpp"

namespace warpbook::vgpu::testing {

namespace {

/// A kernel of one mbarrier `bar`; thread 0 has initialised it for `count` arrivals unless `count` is 0.
std::string kernel(const std::string& body, int count = 0) {
  std::string begin;
  if (count != 0) begin = fmt::format("  @%first mbarrier.init.shared.b64 [bar], {};\n  bar.sync 0;\n", count);
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
         "  .reg .pred %first, %p, %done; .reg .b32 %t, %r<9>; .reg .b64 %in, %out, %s, %d<9>;\n"
         "  .shared .align 8 .b64 bar; .shared .align 16 .b8 tile[1024];\n"
         "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
         "  mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0; mul.wide.u32 %d0, %t, 4; add.u64 %in, %in, %d0; add.u64 %out, %out, %d0;\n" +
         begin + body + "  ret;\n}\n";
}

struct Ran {
  explicit Ran(const std::string& ptx, std::uint32_t threads = 64) : gpu(ptx, options_for(90)) {
    std::vector<int> values(256);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i) + 1;
    const device::Address in = gpu.buffer(values);
    out = gpu.buffer(std::vector<int>(256));
    REQUIRE(gpu.launch("k", {1, 1, 1}, {threads, 1, 1}, in, out).ok());
  }
  TestGpu gpu;
  device::Address out = 0;
};

std::string complaint(const std::string& body, int count = 0) {
  Ran ran(kernel(body, count));
  CHECK(ran.gpu.fault().kind == device::FaultKind::kBarrierDivergence);
  CHECK(ran.gpu.fault().space == "shared");
  return ran.gpu.fault().message;
}

}  // namespace

TEST_CASE("an mbarrier that nobody initialised is named") {
  CHECK(complaint("  mbarrier.arrive.shared.b64 %s, [bar];\n") == "mbarrier.arrive.shared.b64: the mbarrier bar is not initialised");
}

TEST_CASE("more arrivals than an mbarrier expects are named") {
  // 64 arrivals of 63: the last one is the first of the next phase, which is legal; 40 of 64 more are not when 24 are expected.
  const std::string message = complaint("  mbarrier.arrive.shared.b64 %s, [bar], 2;\n", 63);
  CHECK(message == "mbarrier.arrive.shared.b64: the mbarrier bar gets 2 more arrivals in phase 0, which lacks only 1 of 63");
}

TEST_CASE("an mbarrier that is initialised twice is named") {
  CHECK(complaint("  @%first mbarrier.init.shared.b64 [bar], 64;\n", 64) ==
        "mbarrier.init.shared.b64: the mbarrier bar is initialised over a live one, which mbarrier.inval must end first");
}

TEST_CASE("a store over an mbarrier is named") {
  CHECK(complaint("  @%first st.shared.u32 [bar+4], 5;\n  bar.sync 0;\n  mbarrier.arrive.shared.b64 %s, [bar];\n", 64) ==
        "mbarrier.arrive.shared.b64: the mbarrier bar has been written over by something that is no mbarrier operation");
}

TEST_CASE("an mbarrier outside shared memory is named") {
  Ran ran(kernel("  mbarrier.init.b64 [%in], 4;\n"));
  CHECK(ran.gpu.fault().kind == device::FaultKind::kOutOfBounds);
  CHECK(ran.gpu.fault().message.find("which is not in shared memory") != std::string::npos);
}

TEST_CASE("a wait for an arrival that never comes is a deadlock, whatever the loop looks at") {
  const std::string loop = GENERATE("WAIT: mbarrier.try_wait.shared.b64 %done, [bar], %s;\n  @!%done bra WAIT;\n",
                                    "WAIT: mbarrier.test_wait.shared.b64 %done, [bar], %s;\n  @%done bra OUT;\n"
                                    "  mov.u64 %d2, %globaltimer; nanosleep.u32 20; add.u64 %d3, %d3, %d2;\n  bra WAIT;\nOUT:\n",
                                    "WAIT: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0, 100;\n  @!%done bra WAIT;\n");
  Ran ran(kernel("  mbarrier.arrive.shared.b64 %s, [bar];\n" + loop, 65));
  CHECK(ran.gpu.fault().kind == device::FaultKind::kDeadlock);
  REQUIRE_FALSE(ran.gpu.fault().waiters.empty());
  CHECK(ran.gpu.fault().waiters.front().what.find("of bar: phase 0 lacks 1 of 65 arrivals") != std::string::npos);
}

TEST_CASE("an mbarrier may be used again after inval, for something else") {
  Ran ran(
      kernel("  mbarrier.arrive.shared.b64 %s, [bar];\n"
             "WAIT: mbarrier.try_wait.shared.b64 %done, [bar], %s;\n  @!%done bra WAIT;\n  bar.sync 0;\n"
             "  @%first mbarrier.inval.shared.b64 [bar];\n  bar.sync 0;\n  @%first st.shared.u32 [bar], 77;\n  bar.sync 0;\n"
             "  ld.shared.u32 %r1, [bar];\n  st.global.u32 [%out], %r1;\n  bar.sync 0;\n"
             "  @%first mbarrier.init.shared.b64 [bar], 64;\n  bar.sync 0;\n  mbarrier.arrive.shared.b64 %s, [bar];\n",
             64));
  ran.gpu.require_clean();
  CHECK(ran.gpu.read<int>(ran.out, 64) == std::vector<int>(64, 77));
}

TEST_CASE("copies arrive with the mbarrier that tracks them") {
  // Without .noinc the count is of the threads; with it, of the copies too.
  const bool counted = GENERATE(false, true);
  Ran ran(kernel(
      "  mov.u32 %r1, tile; mul.lo.u32 %r2, %t, 4; add.u32 %r1, %r1, %r2;\n"
      "  cp.async.ca.shared.global [%r1], [%in], 4;\n" +
          std::string(counted ? "  cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" : "  cp.async.mbarrier.arrive.shared.b64 [bar];\n") +
          "  mbarrier.arrive.shared.b64 %s, [bar];\n"
          "WAIT: mbarrier.try_wait.shared.b64 %done, [bar], %s;\n  @!%done bra WAIT;\n"
          "  xor.b32 %r3, %t, 63; mul.lo.u32 %r3, %r3, 4; mov.u32 %r4, tile; add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4];\n"
          "  st.global.u32 [%out], %r5;\n",
      counted ? 128 : 64));
  ran.gpu.require_clean();
  const std::vector<int> got = ran.gpu.read<int>(ran.out, 64);
  for (std::size_t t = 0; t < 64; ++t) CHECK(got[t] == static_cast<int>(63 - t) + 1);
}

TEST_CASE("who waits for the copies of another warp has them, even when nobody else has asked") {
  // The copies of warp 0 arrive in the very step in which warp 1 asks: what they release must be acquired by the same step.
  const std::string wait = GENERATE("test_wait.parity", "try_wait.parity");
  const std::string relaxed = GENERATE("", ".relaxed.cta");
  Ran ran(
      kernel("  mov.u32 %r4, tile; setp.ge.u32 %p, %t, 32;\n  @%p bra READ;\n"
             "  mad.lo.u32 %r1, %t, 4, %r4; cp.async.ca.shared.global [%r1], [%in], 4;\n"
             "  cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n  bra END;\n"
             "READ: mbarrier." +
                 wait + relaxed +
                 ".shared.b64 %done, [bar], 0;\n  @!%done bra READ;\n"
                 "  xor.b32 %r3, %t, 63; mad.lo.u32 %r3, %r3, 4, %r4; ld.shared.u32 %r5, [%r3]; st.global.u32 [%out], %r5;\n"
                 "END: bar.sync 1;\n",
             32));
  if (relaxed.empty()) {
    ran.gpu.require_clean();
    const std::vector<int> got = ran.gpu.read<int>(ran.out, 64);
    for (std::size_t t = 32; t < 64; ++t) CHECK(got[t] == static_cast<int>(63 - t) + 1);
    return;
  }
  REQUIRE_FALSE(ran.gpu.gpu->faults().empty());
  CHECK(ran.gpu.gpu->faults().front().kind == device::FaultKind::kRace);
}

TEST_CASE("an arrival orders what came before it, a relaxed one does not") {
  const bool relaxed = GENERATE(false, true);
  const std::string arrive = relaxed ? "arrive.relaxed.cta" : "arrive", wait = relaxed ? "try_wait.relaxed.cta" : "try_wait";
  Ran ran(kernel("  mov.u32 %r4, tile; mad.lo.u32 %r1, %t, 4, %r4; st.shared.u32 [%r1], %t;\n  mbarrier." + arrive +
                     ".shared.b64 %s, [bar];\nWAIT: mbarrier." + wait +
                     ".shared.b64 %done, [bar], %s;\n  @!%done bra WAIT;\n"
                     "  xor.b32 %r3, %t, 63; mad.lo.u32 %r3, %r3, 4, %r4; ld.shared.u32 %r5, [%r3];\n  st.global.u32 [%out], %r5;\n",
                 64));
  if (!relaxed) return ran.gpu.require_clean();
  REQUIRE_FALSE(ran.gpu.gpu->faults().empty());
  CHECK(ran.gpu.gpu->faults().front().kind == device::FaultKind::kRace);
}

TEST_CASE("announced bytes hold a phase back, and pending_count reads a state") {
  Ran ran(
      kernel("  @!%first bra REST;\n  mbarrier.arrive.expect_tx.shared.b64 %s, [bar], 32;\n"
             "  mbarrier.test_wait.shared.b64 %done, [bar], %s;\n  selp.u32 %r1, 1, 0, %done;\n"
             "  mbarrier.complete_tx.shared.b64 [bar], 32;\n"
             "  mbarrier.test_wait.shared.b64 %done, [bar], %s;\n  selp.u32 %r2, 10, 0, %done;\n  add.u32 %r1, %r1, %r2;\n"
             "  mbarrier.pending_count.b64 %r3, %s;\n  mad.lo.u32 %r1, %r3, 100, %r1;\n  st.global.u32 [%out], %r1;\nREST:\n",
             1));
  ran.gpu.require_clean();
  CHECK(ran.gpu.read<int>(ran.out, 1)[0] == 110);
}

}  // namespace warpbook::vgpu::testing
