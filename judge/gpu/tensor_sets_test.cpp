// What of the sets of tensors needs no GPU: how many there are, and that a set is judged as `judge run` judges.
#include "judge/gpu/tensor_sets.hpp"

#include <cstring>

#include "common/inputs/element.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::gpu;

namespace {

constexpr std::uint64_t kL2 = 50'000'000;

struct Example {
  task::Task task;
  task::Case one;
  grade::CaseData data;
};

Example example(const std::string& id, std::uint64_t seed, bool inputs_only) {
  const auto task = task::find_task(WARPBOOK_SOURCE_DIR, id);
  REQUIRE(task);
  Example e{*task, task->cases.front(), {}};
  e.one.gpu_rows = 3;
  e.one.gpu_cols = 20;
  grade::CaseSetup setup{seed, true, inputs::kRedZoneBytes, inputs_only};
  auto data = grade::prepare(e.task, e.one, setup);
  REQUIRE(data);
  e.data = std::move(*data);
  return e;
}

/// The memory of a set after launches that wrote the right values.
TensorSets::Snapshot right_snapshot(const Example& e, std::uint64_t seed) {
  TensorSets::Snapshot snapshot;
  snapshot.seed = seed;
  for (const grade::TensorData& t : e.data.tensors) {
    std::vector<std::byte> dense = t.dense;
    for (const auto& expected : e.data.expected)
      if (expected.tensor == t.spec->name)
        for (std::size_t i = 0; i < expected.value.size(); ++i) {
          const auto value = static_cast<float>(expected.value[i]);
          std::memcpy(dense.data() + i * sizeof value, &value, sizeof value);
        }
    snapshot.names.emplace_back(t.spec->name);
    snapshot.memory.push_back(inputs::compose(t.placement, dense));
  }
  return snapshot;
}

}  // namespace

TEST_CASE("there are so many sets that none is still in the L2 cache when it comes, and that a round comes to none twice") {
  constexpr std::uint64_t kRoom = 16'000'000'000;
  for (const std::uint64_t bytes : {1'000'000u, 30'000'000u, 400'000'000u}) {
    const SetCount count = sets_for(bytes, kL2, kRoom, 0.005);
    CHECK((count.own_data - 1) * bytes >= 4 * kL2);
    CHECK(count.sets >= count.own_data);
    CHECK(count.sets * bytes <= kRoom);
  }
  // 400 MB take 50 us at least: 100 launches make a round, 200 the longer one; but 40 sets fit.
  CHECK(sets_for(400'000'000, kL2, kRoom, 0.005).sets == 40);
  CHECK(sets_for(400'000'000, kL2, 10 * kRoom, 0.005).sets == 200);
  // Coldness needs its sets, room or none.
  CHECK(sets_for(1'000'000, kL2, 0, 0.005).sets == sets_for(1'000'000, kL2, kRoom, 0.005).own_data);
  CHECK(sets_for(400'000'000, kL2, 0, 0.005).sets == 2);
  CHECK(sets_for(16, kL2, kRoom, 0.005).sets == 4096);
}

TEST_CASE("a set is judged as judge run judges: right values, a wrong one, an unwritten one, a changed input") {
  const Example e = example("row-softmax", 5, false);
  const TensorSets::Snapshot right = right_snapshot(e, 5);
  CHECK(judge_snapshot(e.task, e.one, right).verdict == grade::Verdict::kAccepted);

  const grade::TensorData& y = e.data.tensors.at(1);
  REQUIRE(std::string(y.spec->name) == "y");
  TensorSets::Snapshot wrong = right;
  const float value = 3;
  std::memcpy(wrong.memory[1].data() + y.placement.row_offset(2), &value, sizeof value);
  const grade::CaseResult judged = judge_snapshot(e.task, e.one, wrong);
  CHECK(judged.verdict == grade::Verdict::kWrongAnswer);
  CHECK(judged.message.find("y[2][0] is 3") != std::string::npos);

  TensorSets::Snapshot unwritten = right;
  const std::uint32_t bits = inputs::unwritten_bits(inputs::DType::kF32);
  std::memcpy(unwritten.memory[1].data() + y.placement.row_offset(1), &bits, sizeof bits);
  CHECK(judge_snapshot(e.task, e.one, unwritten).reason == grade::Reason::kUnwritten);

  TensorSets::Snapshot changed = right;
  std::memcpy(changed.memory[0].data() + e.data.tensors[0].placement.row_offset(0), &value, sizeof value);
  CHECK(judge_snapshot(e.task, e.one, changed).reason == grade::Reason::kInputChanged);

  // The right answer to the inputs of another set, which a result kept from an earlier launch would be.
  TensorSets::Snapshot other = right;
  other.seed = 6;
  CHECK(judge_snapshot(e.task, e.one, other).verdict == grade::Verdict::kWrongAnswer);
}

TEST_CASE("inputs alone are the same inputs") {
  const Example whole = example("05", 9, false), inputs_only = example("05", 9, true);
  REQUIRE(whole.data.tensors.size() == inputs_only.data.tensors.size());
  for (std::size_t i = 0; i < whole.data.tensors.size(); ++i) CHECK(whole.data.tensors[i].dense == inputs_only.data.tensors[i].dense);
  CHECK_FALSE(whole.data.expected.empty());
  CHECK(inputs_only.data.expected.empty());
}

TEST_CASE("a row of another seed is in every input that has rows, and the right answer is that of the mixture") {
  const Example one = example("05", 3, false), other = example("05", 4, false);
  grade::CaseSetup setup{3, true, inputs::kRedZoneBytes};
  setup.row_from = grade::RowFrom{4, 3 * 1000 + 2};  // row 2 of three
  const auto mixed = grade::prepare(one.task, one.one, setup);
  REQUIRE(mixed);
  const std::size_t row_bytes = 20 * sizeof(float);
  const auto row = [&](const grade::CaseData& data, std::size_t tensor, std::size_t r) {
    const auto begin = data.tensors[tensor].dense.begin() + static_cast<std::ptrdiff_t>(r * row_bytes);
    return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(row_bytes));
  };
  CHECK(row(*mixed, 0, 0) == row(one.data, 0, 0));
  CHECK(row(*mixed, 0, 2) == row(other.data, 0, 2));
  CHECK(row(*mixed, 0, 2) != row(one.data, 0, 2));
  CHECK(mixed->tensors[1].dense == one.data.tensors[1].dense);  // gamma has one row
  CHECK(mixed->expected[0].value[19] == one.data.expected[0].value[19]);
  CHECK(mixed->expected[0].value[40] != one.data.expected[0].value[40]);
}
