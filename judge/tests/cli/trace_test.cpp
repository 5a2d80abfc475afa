// `judge trace`: which case, launch and block it takes, what the page's data holds, what it says when there is nothing to show.
#include <nlohmann/json.hpp>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

using namespace warpbook::cli;
using nlohmann::json;

namespace {

json data_of(const Home& home) { return json::parse(home.read("trace.json"), nullptr, false); }

/// Lesson 02's solution with one line replaced.
std::string block_reduce_with(const std::string& line, const std::string& other) {
  std::string text = repository_text("lessons/02-block-reduce/solution.cu");
  const std::size_t at = text.find(line);
  REQUIRE(at != std::string::npos);
  return text.replace(at, line.size(), other);
}

}  // namespace

TEST_CASE("the page of a trace needs nothing but itself") {
  const Home home;
  const Said said = home.judge({"trace", "05", "--solution", "--case", "warp-and-one"});
  INFO(said.out << said.err);
  CHECK(said.status == kAccepted);
  CHECK(contains(said.out, "work/05-layernorm/trace.html"));
  const std::string page = home.read("work/05-layernorm/trace.html");
  CHECK(contains(page, "WarpTrace.mount("));
  CHECK(contains(page, "block_reduce"));
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("}) CHECK(!contains(page, outside));
}

TEST_CASE("a trace build names the watched variables, and only them") {
  const Home home;
  REQUIRE(home.judge({"trace", "05", "--solution", "--case", "warp-and-one", "--block", "3", "--data", "trace.json"}).status == kAccepted);
  const json data = data_of(home);
  REQUIRE(data.is_object());
  std::vector<std::string> names;
  for (const json& watch : data["watches"]) names.push_back(watch["name"]);
  CHECK(names == std::vector<std::string>{"mine.x", "mine.x_square", "mean", "mean_square", "scale"});
  CHECK(data["index"] == json({3, 0, 0}));
  CHECK(data["block"] == json({256, 1, 1}));
  CHECK(data["shared"].size() == 1);
  CHECK(data["shared"][0]["name"] == "partials");
  CHECK(data["window"]["truncated"] == false);
  CHECK(data["files"][0]["name"] == "lessons/05-layernorm/solution.cu");
}

TEST_CASE("without WATCH the trace has registers and says how to name them") {
  const Home home;
  std::string text = repository_text("exercises/row-softmax/starter.cu");
  REQUIRE(!contains(text, "WATCH("));
  text = repository_text("solutions/row-softmax/solution.cu");
  for (std::size_t at = text.find("  WATCH("); at != std::string::npos; at = text.find("  WATCH("))
    text.erase(at, text.find('\n', at) - at);
  home.write("plain.cu", text);
  const Said said = home.judge({"trace", "row-softmax", "plain.cu", "--case", "ramp", "--data", "trace.json"});
  INFO(said.out << said.err);
  REQUIRE(said.status == kAccepted);
  CHECK(contains(said.out, "nothing is watched"));
  const json data = data_of(home);
  CHECK(data["watches"].empty());
  CHECK(data["registers"].size() > 10);
}

TEST_CASE("the first failing case is traced, in the block that fails, up to the line that fails") {
  const Home home;
  home.write("work/02-block-reduce/exercise.cu",
             block_reduce_with("  if (lane == 0) partials[warp] = value;",
                               "  if (lane == 0) partials[warp + (blockIdx.x == 2 ? 40 : 0)] = value;"));
  const Said said = home.judge({"trace", "02", "--data", "trace.json"});
  INFO(said.out << said.err);
  REQUIRE(said.status == kAccepted);
  CHECK(contains(said.out, "it ends with"));
  const json data = data_of(home);
  CHECK(data["index"] == json({2, 0, 0}));
  CHECK(data["fault"]["kind"] == "out of bounds");
  const int line = data["fault"]["frames"][0]["line"];
  std::string source = data["files"][data["fault"]["frames"][0]["number"].get<std::size_t>()]["text"];
  for (int i = 1; i < line; ++i) source.erase(0, source.find('\n') + 1);
  CHECK(contains(source.substr(0, source.find('\n')), "blockIdx.x == 2"));
}

TEST_CASE("a long trace is windowed, and the next window begins where it ended") {
  const Home home;
  const Said said = home.judge({"trace", "05", "--solution", "--case", "plain", "--steps", "500", "--data", "trace.json"});
  REQUIRE(said.status == kAccepted);
  CHECK(contains(said.out, "--from 500"));
  CHECK(data_of(home)["window"] == json({{"first", 0}, {"kept", 500}, {"truncated", true}}));
  REQUIRE(home.judge({"trace", "05", "--solution", "--case", "plain", "--from", "500", "--data", "trace.json"}).status == kAccepted);
  const json rest = data_of(home)["window"];
  CHECK(rest["first"] == 500);
  CHECK(rest["truncated"] == false);
  REQUIRE(home.judge({"trace", "05", "--solution", "--case", "plain", "--data", "trace.json"}).status == kAccepted);
  CHECK(data_of(home)["window"]["kept"] == rest["kept"].get<int>() + 500);
}

TEST_CASE("what cannot be traced is said") {
  const Home home;
  const auto err = [&](const Words& words, int status) {
    const Said said = home.judge(words);
    CHECK(said.status == status);
    return said.err;
  };
  CHECK(contains(err({"trace", "05", "--solution", "--block", "1,2"}, kUsage), "expected a number or x,y,z"));
  CHECK(contains(err({"trace", "05", "--solution", "--launch", "0"}, kUsage), "--launch counts from 1"));
  CHECK(contains(err({"trace", "05", "--solution", "--device", "gpu"}, kUsage), "virtual GPU"));
  CHECK(contains(err({"trace", "05", "--solution", "--case", "nonsense"}, kUsage), "has no case"));
  CHECK(contains(err({"trace", "05"}, kUsage), "judge start 05-layernorm"));
  CHECK(contains(err({"trace", "05", "--solution", "--case", "zeros", "--block", "99"}, kCouldNot), "did not run"));
  CHECK(contains(err({"trace", "05", "--solution", "--case", "zeros", "--launch", "2"}, kCouldNot), "launch 2 never came"));
  CHECK(contains(err({"trace", "05", "--solution", "--case", "zeros", "--from", "1000000"}, kCouldNot), "the block ends after"));
}
