#include "judge/ptx/flow.hpp"

#include <fmt/format.h>

#include "judge/ptx/parser.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::ptx;

namespace {

struct Analysed {
  Function function;
  Flow flow;

  /// Where the branch that stands behind label `name` meets again: a label's name, "exit", or a number.
  std::string meets(const std::string& name) const {
    auto at = static_cast<std::size_t>(function.labels.at(name));
    while (function.body[at].op != Opcode::kBra && function.body[at].op != Opcode::kBrx) ++at;
    std::int32_t target = flow.reconvergence[at];
    if (target < 0) return "exit";
    for (const auto& [label, index] : function.labels) {
      if (index == target) return label;
    }
    return std::to_string(target);
  }
};

Analysed analysed(std::string_view body) {
  auto module =
      parse(fmt::format(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{ .reg .pred p, q; .reg .b32 r; {} }}", body));
  INFO((module ? "" : module.error().text()));
  REQUIRE(module);
  Function function = module->functions[0];
  Flow flow = analyze(function);
  return {std::move(function), std::move(flow)};
}

const std::string kWork = "add.u32 r, r, 1; ";

}  // namespace

TEST_CASE("both arms of a branch meet behind them", "[ptx][flow]") {
  Analysed a = analysed("A: @p bra E; T: " + kWork + "bra J; E: " + kWork + "J: " + kWork + "ret;");
  CHECK(a.meets("A") == "J");
  CHECK(a.meets("T") == "J");
  CHECK(a.flow.dominates(a.flow.block_of[0], a.flow.block_of.back()));
}

TEST_CASE("a loop meets where it is left", "[ptx][flow]") {
  Analysed a = analysed("H: " + kWork + "@p bra H; X: " + kWork + "ret;");
  CHECK(a.meets("H") == "X");
  CHECK(a.flow.back_edge[1]);
  CHECK_FALSE(a.flow.back_edge[2]);
}

TEST_CASE("nested loops and breaks", "[ptx][flow]") {
  Analysed a = analysed("O: " + kWork + "I: @p bra X; C: " + kWork + "@q bra I; L: " + kWork + "@p bra O; X: " + kWork + "ret;");
  CHECK(a.meets("I") == "X");
  CHECK(a.meets("C") == "X");
  CHECK(a.meets("L") == "X");
}

TEST_CASE("early returns through one block meet there", "[ptx][flow]") {
  Analysed a = analysed("A: @p bra R; " + kWork + "B: @q bra R; " + kWork + "R: ret;");
  CHECK(a.meets("A") == "R");
  CHECK(a.meets("B") == "R");
}

TEST_CASE("an arm that exits does not keep the others apart", "[ptx][flow]") {
  Analysed a = analysed("A: @p bra E; T: @q bra J; " + kWork + "exit; E: " + kWork + "J: " + kWork + "ret;");
  CHECK(a.meets("A") == "J");
  CHECK(a.meets("T") == "J");
  Analysed guarded = analysed("A: @p bra E; " + kWork + "@q exit; " + kWork + "bra J; E: " + kWork + "J: ret;");
  CHECK(guarded.meets("A") == "J");
  Analysed trap = analysed("A: @p bra E; trap; E: " + kWork + "ret;");
  CHECK(trap.meets("A") == "E");
}

TEST_CASE("when everything ends in exit, exit is where paths meet", "[ptx][flow]") {
  Analysed a = analysed("A: @p bra E; exit; E: " + kWork + "exit;");
  CHECK(a.meets("A") == "exit");
  Analysed joined = analysed("A: @p bra E; T: " + kWork + "E: " + kWork + "exit;");
  CHECK(joined.meets("A") == "E");
}

TEST_CASE("an endless loop has post-dominators all the same", "[ptx][flow]") {
  Analysed a = analysed("A: @p bra E; T: " + kWork + "bra H; E: " + kWork + "H: " + kWork + "bra H;");
  CHECK(a.meets("A") == "H");
  Analysed inner = analysed("H: @p bra E; T: " + kWork + "bra L; E: " + kWork + "L: bra H;");
  CHECK(inner.meets("H") == "L");
  Analysed beside = analysed("A: @p bra H; " + kWork + "ret; H: bra H;");
  CHECK(beside.flow.blocks.size() == 3);
}

TEST_CASE("an indirect branch meets behind all its targets", "[ptx][flow]") {
  Analysed a =
      analysed("ts: .branchtargets X, Y, Z, X; A: brx.idx r, ts; X: " + kWork + "bra J; Y: " + kWork + "bra J; Z: " + kWork + "J: ret;");
  CHECK(a.meets("A") == "J");
  CHECK(a.flow.blocks[0].next.size() == 3);
}

TEST_CASE("unreachable code is analysed and harms nobody", "[ptx][flow]") {
  Analysed a = analysed("bra J; U: @p bra U; @q bra J; J: ret;");
  CHECK(a.meets("U") == "2");
  CHECK_FALSE(a.flow.blocks[static_cast<std::size_t>(a.flow.block_of[1])].reachable);
  CHECK(a.flow.blocks[static_cast<std::size_t>(a.flow.block_of.back())].reachable);
}

TEST_CASE("a body that could run off its end is given a return", "[ptx][flow]") {
  Analysed a = analysed("@p bra E; " + kWork + "E:");
  CHECK(a.function.body.back().op == Opcode::kRet);
  CHECK(a.flow.reconvergence[0] == 2);
  CHECK(analysed("").function.body.size() == 1);
}

TEST_CASE("twenty thousand branches take no noticeable time", "[ptx][flow]") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("@p bra L{}; {} L{}: ", i, kWork, i);
  Analysed a = analysed(text + "ret;");
  CHECK(a.flow.reconvergence[0] == 2);
  std::string nested;
  for (int i = 0; i < 2'000; ++i) nested += fmt::format("H{}: ", i);
  for (int i = 0; i < 2'000; ++i) nested += fmt::format("{} @p bra H{}; ", kWork, i);
  CHECK(analysed(nested + "ret;").flow.blocks.size() > 2'000);
}
