// The secrets of a class: a seed that is nowhere written, and further cases of which nothing is told.
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;
using nlohmann::json;

namespace {

const std::string kSecret = "a secret of the class of 2027";

json with_secret(const Home& home) { return grade(home, {"05", "--case", "plain", "--seed-file", "secret"}).result; }

}  // namespace

TEST_CASE("a class's secret gives the seed and is recorded by its hash only") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with(kRightVariance));
  home.write("secret", kSecret + "\n");
  const Graded first = grade(home, {"05", "--case", "plain", "--seed-file", "secret"});
  CHECK(first.said.status == kAccepted);
  CHECK(first.result["provenance"]["seed"] == 0);
  // sha256sum of the label "warpbook record", a line end, and the secret.
  CHECK(first.result["provenance"]["seed_hash"] == "53aea7a6757267a5c8a811828c34f2fd37818367e8540f9b8ef5b5efd5a6032e");
  CHECK_FALSE(contains(first.said.out + first.result.dump(), kSecret));
  const auto nearest = [](const json& result) { return result["cases"][0]["worst"]; };
  CHECK(nearest(with_secret(home)) == nearest(first.result));
  home.write("secret", kSecret + ", and of another");
  CHECK(nearest(with_secret(home)) != nearest(first.result));

  home.write("secret", "short");
  const Said refused = home.judge({"run", "05", "--seed-file", "secret"});
  CHECK(refused.status == kUsage);
  CHECK(contains(refused.err, "5 bytes, expected at least 16"));
  CHECK(contains(home.judge({"run", "05", "--seed", "1", "--seed-file", "secret"}).err, "one of them is meant"));
}

TEST_CASE("of a class's further cases only kind, verdict and reason are told") {
  const Home home;
  home.write("work/05-layernorm/exercise.cu", layernorm_with("  const float scale = rsqrtf(mean_square - mean * mean + eps);\n"));
  home.write("further/05-layernorm/cases.xml",
             "<cases><boundary name=\"hidden-name\" rows=\"1\" cols=\"2\" about=\"what it is\">"
             "<fill tensor=\"x\" kind=\"ramp\" value=\"5793\" step=\"1\"/></boundary></cases>");
  const Graded graded = grade(home, {"05", "--overlay", "further", "--no-advice"});
  CHECK(graded.said.status == kNotAccepted);
  const json& further = graded.result["cases"].back();
  CHECK(further["name"] == "further-1");
  CHECK(further["kind"] == "boundary");
  CHECK(further["verdict"] == "WA");
  CHECK(further["reason"] == "not-finite");
  CHECK_FALSE(further.contains("worst"));
  for (const std::string told : {"hidden-name", "what it is", "5793.5"}) CHECK_FALSE(contains(graded.said.out + further.dump(), told));
  CHECK(contains(home.judge({"run", "05", "--overlay", "nowhere"}).err, "is no folder of further cases"));
}

TEST_CASE("a medal goes with the verdict of further cases: none for a kernel that fails one of them") {
  const Home home;
  const auto with = [&](const std::string& x) {
    home.write("further/groupnorm/cases.xml", "<cases><boundary name=\"far\" rows=\"1\" cols=\"2\" about=\"x\">" + x +
                                                  "<scalar name=\"channels\" value=\"1\"/><scalar name=\"groups\" value=\"1\"/>"
                                                  "</boundary></cases>");
    return grade(home, {"groupnorm", "--solution", "--overlay", "further", "--no-advice"}).result;
  };
  const json kept = with("<fill tensor=\"x\" kind=\"ramp\" value=\"1\" step=\"1\"/>");
  CHECK(kept["verdict"] == "AC");
  CHECK(kept["medal"] == "gold");
  // What overflows float32 in one step of it.
  const json lost = with("<fill tensor=\"x\" kind=\"ramp\" value=\"3e38\" step=\"-6e38\"/>");
  CHECK(lost["cases"].back()["name"] == "further-1");
  CHECK(lost["cases"].back()["verdict"] == "WA");
  CHECK(lost["medal"] == "none");
  CHECK(lost["medal_reason"] == "");
  CHECK(lost["passed"] == false);
}
