// Random control flow, reducible or not: whatever way lanes part and meet, each must come out as if it had run alone.
#include <fmt/format.h>

#include <random>

#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

constexpr unsigned kLanes = 64;

/// A node multiplies and adds, and goes on to one of two nodes by a bit of the result. A lane ends when its fuel is used up.
struct Node {
  std::uint32_t factor, addend, bit;
  std::size_t if_set, if_clear;
};
using Graph = std::vector<Node>;

Graph random_graph(std::mt19937& random) {
  Graph graph(2 + random() % 11);
  for (Node& node : graph)
    node = {static_cast<std::uint32_t>(random()) | 1u, static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random() % 32),
            random() % graph.size(), random() % graph.size()};
  return graph;
}

std::uint32_t fuel_of(std::uint32_t lane, std::uint32_t most) { return 1 + lane * 7 % most; }

std::uint32_t run_alone(const Graph& graph, std::uint32_t lane, std::uint32_t most) {
  std::uint32_t x = lane, fuel = fuel_of(lane, most);
  for (std::size_t at = 0;;) {
    const Node& node = graph[at];
    x = x * node.factor + node.addend;
    if (--fuel == 0) return x;
    at = (x >> node.bit & 1u) != 0 ? node.if_set : node.if_clear;
  }
}

std::string ptx_of(const Graph& graph, std::uint32_t most) {
  std::string text = fmt::format(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
  mul.lo.u32 %r2, %r1, 7; rem.u32 %r2, %r2, {}; add.u32 %r2, %r2, 1;
)",
                                 most);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph[i];
    text += fmt::format(
        "N{}: mad.lo.u32 %r1, %r1, {}, {};\n  sub.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra END;\n"
        "  bfe.u32 %r3, %r1, {}, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra N{}; bra.uni N{};\n",
        i, node.factor, node.addend, node.bit, node.if_set, node.if_clear);
  }
  return text + "END: activemask.b32 %r4; st.global.u32 [%rd1], %r1; ret;\n}\n";
}

}  // namespace

TEST_CASE("random control flow leaves every lane its own path") {
  std::mt19937 random(20261129);
  for (int round = 0; round < 150; ++round) {
    const Graph graph = random_graph(random);
    const auto most = static_cast<std::uint32_t>(1 + random() % 60);
    TestGpu gpu(ptx_of(graph, most));
    const device::Address out = gpu.buffer(std::vector<std::uint32_t>(kLanes));
    REQUIRE(gpu.launch("k", {1, 1, 1}, {kLanes, 1, 1}, out).ok());
    gpu.require_clean();
    const std::vector<std::uint32_t> got = gpu.read<std::uint32_t>(out, kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      INFO("round " << round << ", lane " << lane);
      REQUIRE(got[lane] == run_alone(graph, lane, most));
    }
  }
}

}  // namespace warpbook::vgpu::testing
