#include "judge/cudart/device_options.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::cudart;

TEST_CASE("options of a device survive the way through a variable") {
  DeviceOptions sent;
  sent.profile = "sm_90";
  sent.order = "seeded";
  sent.seed = 18446744073709551615ull;
  sent.max_findings = 12;
  sent.budget = 5;
  sent.off = {"race", "init"};
  sent.report = 9;
  const auto got = parse_device_options(device_options_text(sent));
  REQUIRE(got);
  CHECK(got->profile == "sm_90");
  CHECK(got->order == "seeded");
  CHECK(got->seed == sent.seed);
  CHECK(got->max_findings == 12);
  CHECK(got->budget == 5u);
  CHECK(got->off == sent.off);
  CHECK(got->report == 9);
  CHECK(parse_device_options("").value().report == -1);
}

TEST_CASE("a word that is not understood is named") {
  for (const char* text : {"max-findings=0", "max-findings=x", "off=bounds", "nonsense", "colour=red", "order=sideways", "seed=-1"}) {
    const auto got = parse_device_options(text);
    REQUIRE_FALSE(got);
    CHECK(got.error().what.find(text) != std::string::npos);
  }
}
