#include "judge/grade/diagnose.hpp"

#include <cmath>
#include <limits>

#include "judge/grade/likeness.hpp"
#include "judge/grade/observe.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using grade::CaseResult;
using grade::Suspect;
using grade::Verdict;

namespace {

constexpr double kQuietNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPositiveInf = std::numeric_limits<double>::infinity();

operators::Expected right(std::vector<double> values, double bound) {
  operators::Expected e;
  e.tensor = "y";
  e.rows = 1;
  e.cols = static_cast<std::int64_t>(values.size());
  e.bound.assign(values.size(), bound);
  e.value = std::move(values);
  return e;
}

CaseResult answered(std::vector<double> values) {
  CaseResult r;
  r.verdict = Verdict::kWrongAnswer;
  r.reason = grade::Reason::kValue;
  r.answers = {{"y", static_cast<std::int64_t>(values.size()), std::move(values)}};
  return r;
}

double alike(const std::vector<double>& learner, const std::vector<double>& known, const operators::Expected& expected) {
  const std::vector<operators::Expected> all{expected};
  return grade::likeness(answered(learner), {}, answered(known), {}, all, task::CheckKind::kBound);
}

CaseResult raced(const std::string& instruction, const std::string& earlier, int line, std::uint32_t thread, std::uint32_t other) {
  CaseResult r;
  r.verdict = Verdict::kRuntimeError;
  r.reason = grade::Reason::kRace;
  device::Fault f;
  f.kind = device::FaultKind::kRace;
  f.space = "shared";
  f.instruction = instruction;
  f.thread = {thread, 0, 0};
  f.frames = {{"a.cu", "k", line, 1}};
  f.related = {{earlier, {other, 0, 0}, {0, 0, 0}, {{"a.cu", "k", 1, 1}}}};
  r.fault = f;
  return r;
}

Suspect suspect(const std::string& name, double likeness, double pattern, double error = 0) {
  Suspect s;
  s.mistake.name = name;
  s.likeness = likeness;
  s.error = std::max(likeness, error);
  s.pattern = pattern;
  return s;
}

std::string chosen(std::vector<Suspect> suspects) {
  const auto d = grade::choose(std::move(suspects));
  return d ? d->name : "none";
}

}  // namespace

TEST_CASE("two wrong answers are alike when rounding alone keeps them apart") {
  const auto e = right({1, 2, 3, 4}, 1e-6);
  CHECK(alike({1.5, 2.5, 3, 4}, {1.5000003, 2.5, 3, 4}, e) == 1);
  CHECK(alike({1.5, 2.5, 3, 4}, {1.51, 2.5, 3, 4}, e) == 0);
  // What is a thousand times too large rounds a thousand times more coarsely.
  CHECK(alike({1000, 2, 3, 4}, {1000.0003, 2, 3, 4}, e) == 1);
  CHECK(alike({1000, 2, 3, 4}, {1001, 2, 3, 4}, e) == 0);
}

TEST_CASE("NaN agrees with NaN only, an infinity with its own sign only") {
  const auto e = right({1, 2}, 1e-6);
  CHECK(alike({kQuietNan, 2}, {kQuietNan, 2}, e) == 1);
  CHECK(alike({kQuietNan, 2}, {1.5, 2}, e) == 0);
  CHECK(alike({kPositiveInf, 2}, {-kPositiveInf, 2}, e) == 0);
  CHECK(alike({kPositiveInf, 2}, {kPositiveInf, 2}, e) == 1);
}

TEST_CASE("where the contract is open, nothing is compared") {
  auto e = right({1, 2}, 1e-6);
  e.open = {1, 0};
  CHECK(alike({7, 2.5}, {kQuietNan, 2.5}, e) == 1);
}

TEST_CASE("wrong finite values say more than a row of NaN") {
  const std::vector<operators::Expected> e{right({1, 2}, 1e-6)};
  CHECK(grade::evidence(answered({1.5, 2}), e, task::CheckKind::kBound) >
        grade::evidence(answered({kQuietNan, kQuietNan}), e, task::CheckKind::kBound));
  CHECK(grade::evidence(answered({kQuietNan, kQuietNan}), e, task::CheckKind::kBound) >
        grade::evidence(answered({kQuietNan, kQuietNan}), e, task::CheckKind::kFinite));
}

TEST_CASE("races are told apart by who meets whom, and by the line") {
  const grade::SourceLines source{"a.cu", {"partials[warp] = value;", "x = partials[0];", "y = partials[0];"}};
  const std::vector<operators::Expected> e{right({1}, 1e-6)};
  const auto like = [&](const CaseResult& a, const CaseResult& b) {
    return grade::likeness(a, source, b, source, e, task::CheckKind::kBound);
  };
  const CaseResult reads_late = raced("ld.shared.f32", "write of 4 bytes", 2, 0, 32);
  CHECK(like(reads_late, raced("ld.shared.f32", "write of 4 bytes", 2, 0, 64)) == 1);
  CHECK(like(reads_late, raced("st.shared.f32", "read of 4 bytes", 2, 0, 32)) == 0);
  // Within one line of the kernel is another mistake than between two.
  CHECK(like(reads_late, raced("ld.shared.f32", "write of 4 bytes", 1, 0, 32)) <
        like(reads_late, raced("ld.shared.f32", "write of 4 bytes", 3, 0, 32)));
  const double other_line = like(reads_late, raced("ld.shared.f32", "write of 4 bytes", 3, 0, 32));
  const double other_threads = like(reads_late, raced("ld.shared.f32", "write of 4 bytes", 2, 64, 0));
  CHECK(other_line > 0);
  CHECK(other_line < 1);
  CHECK(other_threads < 1);
}

TEST_CASE("a fault is not like a wrong value") {
  const std::vector<operators::Expected> e{right({1}, 1e-6)};
  CHECK(grade::likeness(raced("ld.shared.f32", "write", 1, 0, 32), {}, answered({2}), {}, e, task::CheckKind::kBound) == 0);
}

TEST_CASE("the mistake is named when one fits, and nothing when none or two do") {
  CHECK(chosen({suspect("a", 1, 0.9), suspect("b", 0.2, 0.9)}) == "a");
  CHECK(chosen({suspect("a", 0.3, 0.9), suspect("b", 0.2, 0.9)}) == "none");
  CHECK(chosen({suspect("a", 1, 0.9), suspect("b", 1, 0.9)}) == "none");
  CHECK(chosen({suspect("a", 1, 0.5), suspect("b", 1, 0.9)}) == "b");
  CHECK(chosen({}) == "none");
  // Values that depend on the block size: a few cases alike, and the same cases fail.
  CHECK(chosen({suspect("a", 0.3, 1), suspect("b", 0, 0.8)}) == "a");
  CHECK(chosen({suspect("a", 0.3, 1), suspect("b", 0.3, 1)}) == "none");
  CHECK(chosen({suspect("a", 0.3, 0.5), suspect("b", 0, 0.1)}) == "none");
  // Another is more alike: the pattern alone does not outweigh it.
  CHECK(chosen({suspect("a", 0.1, 0.8), suspect("b", 0.4, 0.4)}) == "none");
  // No value agrees: the errors go the same way in the same cases, and nobody else comes near.
  CHECK(chosen({suspect("a", 0, 1), suspect("b", 0, 0.3)}) == "none");
  CHECK(chosen({suspect("a", 0, 1, 0.9), suspect("b", 0, 0.9, 0.2)}) == "a");
  CHECK(chosen({suspect("a", 0, 1, 0.9), suspect("b", 0, 1, 0.8)}) == "none");
}

TEST_CASE("what the host asks of the runtime breaks a tie, and only that") {
  Suspect same = suspect("a", 1, 1), other = suspect("b", 1, 1);
  same.same_calls = true;
  CHECK(chosen({same, other}) == "a");
  other.same_calls = true;
  CHECK(chosen({same, other}) == "none");
  Suspect far = suspect("a", 0, 0.3);
  far.same_calls = true;
  CHECK(chosen({far, suspect("b", 1, 1)}) == "b");
}

TEST_CASE("short rows part two mistakes that fail the same cases in the same direction") {
  Suspect here = suspect("a", 0.17, 0.92, 0.83), there = suspect("b", 0.17, 1, 0.7);
  here.probe = 1;
  there.probe = 0.5;
  CHECK(chosen({here, there}) == "a");
  // One that fits in everything but the short rows is not named.
  there.probe = 0;
  CHECK(chosen({there}) == "none");
  there.probe = -1;
  CHECK(chosen({there}) == "b");
}

TEST_CASE("a refused launch is the same whichever kernel it names") {
  CaseResult a, b;
  a.verdict = b.verdict = Verdict::kRuntimeError;
  a.message = "returned 1; kept(float*, int): 67584 bytes of shared memory";
  b.message = "returned 1; softmax_in_shared(float const*, int): 65664 bytes of shared memory";
  const std::vector<operators::Expected> e{right({1}, 1e-6)};
  CHECK(grade::likeness(a, {}, b, {}, e, task::CheckKind::kBound) == 1);
  b.message = "returned 1; softmax(float*, int): 2048 threads in a block";
  CHECK(grade::likeness(a, {}, b, {}, e, task::CheckKind::kBound) == 0);
}

TEST_CASE("calls of the runtime are read from the code of a source, not from its comments") {
  const std::string source =
      "cudaError_t e = cudaMalloc(&p, n);  // not cudaFree(p)\ne = cudaGetLastError(); /* cudaFree(p) */ cudaMalloc(&q, "
      "n);\nmy_cudaThing(1);\n";
  CHECK(grade::runtime_calls(source) == std::vector<std::string>{"cudaGetLastError", "cudaMalloc"});
}

TEST_CASE("errors are alike when they go the same way, and more so when they are of about the same size") {
  const std::vector<operators::Expected> e{right({1, 2, 3, 4}, 1e-6)};
  const auto same = [&](std::vector<double> a, std::vector<double> b) {
    return grade::same_error(answered(std::move(a)), answered(std::move(b)), e);
  };
  CHECK(same({1.5, 2.5, 3, 4}, {9, 7, 3, 4}) == 0.5);          // both too high, in the same places
  CHECK(same({1.5, 2.5, 3, 4}, {1.6, 2.4, 3, 4}) == 1);        // by about as much
  CHECK(same({1.5, 2.5, 3, 4}, {1.5, 1.5, 3, 4}) == 0.5);      // one the other way
  CHECK(same({1.5, 2, 3, 4}, {1, 2.5, 3, 4}) == 0);            // in other places
  CHECK(same({kQuietNan, 2, 3, 4}, {kQuietNan, 2, 3, 4}) == 1);
  CHECK(same({kQuietNan, 2, 3, 4}, {kPositiveInf, 2, 3, 4}) == 0);
  CHECK(same({1, 2, 3, 4}, {1, 2, 3, 4}) == 0);                // nothing is wrong, nothing to compare
  CHECK(grade::same_error(raced("ld.shared.f32", "write", 1, 0, 32), answered({2, 2, 3, 4}), e) == 0);
}

TEST_CASE("observations survive the way between two processes") {
  CaseResult r = raced("ld.shared.f32", "write of 4 bytes", 2, 0, 32);
  r.name = "plain";
  r.answers = {{"y", 2, {1, kQuietNan}}, {"z", 1, {-0.0}}};
  const auto back = grade::unpack(grade::pack({r, answered({3})}));
  REQUIRE(back);
  REQUIRE(back->size() == 2);
  CHECK(back->front().name == "plain");
  CHECK(back->front().answers[0].values[0] == 1);
  CHECK(std::isnan(back->front().answers[0].values[1]));
  CHECK(std::signbit(back->front().answers[1].values[0]));
  CHECK(back->back().answers[0].values == std::vector<double>{3});
  CHECK_FALSE(grade::unpack("[]"));
  CHECK_FALSE(grade::unpack(grade::pack({r}).substr(0, 100)));
  CHECK_FALSE(grade::unpack(grade::pack({r}).substr(0, grade::pack({r}).size() - 4)));
}
