// A measurement from end to end, on a GPU of paper (fake/): what is launched, what is noticed. Times are not looked at: they are those of
// this machine's processor.
#include "judge/gpu/measure_case.hpp"

#include <dlfcn.h>

#include "judge/gpu/statement.hpp"
#include "judge/task/task_folder.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::gpu;

namespace {

const std::string kPaper = WARPBOOK_PAPER;

/// Row-softmax, for a blink.
Measurement measured_on_paper(const std::string& own, const std::string& reference, bool in_place = false) {
  // The driver that is loaded already is found by its name.
  static void* const driver = ::dlopen((kPaper + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(driver != nullptr);
  const auto task = task::find_task(WARPBOOK_SOURCE_DIR, "row-softmax");
  REQUIRE(task);
  task::Case one = task->cases.front();
  one.gpu_rows = 24;
  one.gpu_cols = 1024;
  if (in_place) one.layouts["y"].alias = "x";
  MeasureOptions options;
  options.toolkit_root = kPaper;
  options.own = kPaper + "/libpaper_" + own + ".so";
  if (!reference.empty()) options.reference = kPaper + "/libpaper_" + reference + ".so";
  options.copies = kPaper + "/libpaper_copies.so";
  options.seed = 11;
  options.seconds = 0.05;
  return measure_case(*task, one, options);
}

}  // namespace

TEST_CASE("an honest submission is timed in turns with the reference and every copy that is there, and its outputs are checked") {
  const Measurement m = measured_on_paper("HONEST", "HONEST");
  INFO(m.failed);
  CHECK(m.failed.empty());
  CHECK(m.wrong.empty());
  CHECK(m.not_finished.empty());
  CHECK(m.bytes == 2u * 24 * 1024 * sizeof(float));
  CHECK(m.sets * m.bytes >= 4 * m.l2_bytes);
  CHECK(m.checked >= 2);
  CHECK(m.own.pairs.size() >= 9);
  REQUIRE(m.reference.has_value());
  CHECK(m.reference->pairs.size() == m.own.pairs.size());
  CHECK(m.copies.size() == 5);  // without the bulk copy engine
  for (const Contestant& copy : m.copies) CHECK(copy.pairs.size() == m.own.pairs.size());
  REQUIRE(m.copies_alone.size() == m.copies.size());
  for (const Contestant& copy : m.copies_alone) CHECK(copy.pairs.size() == 5);
  CHECK(m.nothing.pairs.size() == m.own.pairs.size());
  CHECK_FALSE(m.no_clocks.empty());
  for (const RoundPair& pair : m.own.pairs) {
    CHECK(pair.wall_once > pair.device_once);
    CHECK(pair.device_once > 0);
  }
}

TEST_CASE("a round comes to no set twice, so that launches may change their inputs") {
  const Measurement m = measured_on_paper("HONEST", "HONEST", true);
  INFO(m.failed << m.wrong);
  CHECK(m.failed.empty());
  CHECK(m.wrong.empty());  // the softmax of a softmax would be
  CHECK(m.checked >= 2);
  for (const RoundPair& pair : m.own.pairs) CHECK(2 * pair.launches <= m.sets);
  CHECK_FALSE(measured_on_paper("WRONG_AFTER_A_WHILE", "HONEST", true).wrong.empty());
}

TEST_CASE("launches that do nothing are noticed, also when others did something on the same tensors") {
  const Measurement m = measured_on_paper("LAZY_AFTER_A_WHILE", "HONEST");
  CHECK(m.wrong.find("WA unwritten") != std::string::npos);
}

TEST_CASE("the reference by itself") {
  const Measurement m = measured_on_paper("HONEST", "");
  CHECK(m.failed.empty());
  CHECK_FALSE(m.reference.has_value());
  CHECK(m.own.name == "the reference");
}

TEST_CASE("a result kept from an earlier launch on the same addresses is the result of other inputs") {
  const Measurement m = measured_on_paper("KEEPS_BY_ADDRESS", "HONEST");
  INFO(m.failed);
  CHECK(m.failed.empty());
  CHECK(m.wrong.find("WA value") != std::string::npos);
  CHECK(state(m).kind == StatementKind::kWrong);
  CHECK_FALSE(state(m).own.has_value());
}

TEST_CASE("inputs that are known by a few of their values are not those inputs") {
  const Measurement m = measured_on_paper("KEEPS_BY_CONTENT", "HONEST");
  CHECK(m.failed.empty());
  CHECK(m.wrong.find("WA value") != std::string::npos);
}

TEST_CASE("what is wrong only after a while is wrong") {
  const Measurement m = measured_on_paper("WRONG_AFTER_A_WHILE", "HONEST");
  CHECK(m.wrong.find("WA value: y[0][3]") != std::string::npos);
}

TEST_CASE("a row that is left out is noticed behind the round") {
  const Measurement m = measured_on_paper("SKIPS_LAST_ROW", "HONEST");
  CHECK(m.wrong.find("WA unwritten") != std::string::npos);
  CHECK(m.wrong.find("y[23][0]") != std::string::npos);
}

TEST_CASE("an error of a timed launch is the submission's, one of the reference is ours") {
  const Measurement own = measured_on_paper("REFUSES_AFTER_A_WHILE", "HONEST");
  CHECK(own.failed.empty());
  CHECK(own.wrong.find("RTE") != std::string::npos);
  const Measurement reference = measured_on_paper("HONEST", "REFUSES_AFTER_A_WHILE");
  CHECK(reference.wrong.empty());
  INFO(reference.failed);
  CHECK(reference.failed.find("the reference could not be measured") != std::string::npos);
}
