#include "judge/tests/cli/graded.hpp"

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/json_schema.hpp"

namespace warpbook::cli {

using nlohmann::json;

json checked_result(const Home& home) {
  const json result = json::parse(home.read("result.json"));
  const json schema = json::parse(repository_text("judge/report/result.schema.json"));
  CHECK(disagreements(schema, result) == std::vector<std::string>{});
  return result;
}

Graded grade(const Home& home, Words words) {
  words.insert(words.begin(), "run");
  words.insert(words.end(), {"--json", "result.json"});
  Graded graded;
  graded.said = home.judge(words);
  REQUIRE(home.exists("result.json"));
  graded.result = checked_result(home);
  return graded;
}

Graded grade_layernorm(const Home& home, const std::string& text) {
  home.write("work/05-layernorm/exercise.cu", text);
  return grade(home, {"05", "--case", "zeros", "--jobs", "1"});
}

Graded grade_whole_layernorm(const Home& home, const std::string& text) {
  home.write("work/05-layernorm/exercise.cu", text);
  return grade(home, {"05"});
}

Graded grade_softmax(const Home& home, const std::string& text) {
  home.write("work/row-softmax/kernel.cu", text);
  return grade(home, {"row-softmax", "--case", "ramp", "--jobs", "1"});
}

}  // namespace warpbook::cli
