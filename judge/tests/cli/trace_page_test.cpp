// A trace as a browser shows it: headless Chromium opens the page, a script uses it through keys and controls (judge/trace/page_checks.js),
// and what the script saw is compared here with what the kernel must have done. Without Chromium the test says so and passes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

std::string find_browser() {
  const char* chosen = std::getenv("WARPBOOK_CHROMIUM");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    for (std::size_t begin = 0; begin <= folders.size();) {
      const std::size_t end = std::min(folders.find(':', begin), folders.size());
      const std::filesystem::path program = std::filesystem::path(folders.substr(begin, end - begin)) / name;
      std::error_code ignored;
      if (std::filesystem::exists(program, ignored)) return program.string();
      begin = end + 1;
    }
  }
  return "";
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

/// The page's document after its scripts have run.
std::string open_page(const Home& home, const std::string& browser, const std::string& page) {
  run::Command command;
  command.argv = {browser,
                  "--headless",
                  "--no-sandbox",
                  "--disable-gpu",
                  "--disable-dev-shm-usage",
                  "--window-size=1280,800",
                  "--user-data-dir=" + home.at("browser").string(),
                  "--dump-dom",
                  "file://" + home.at(page).string()};
  command.limits.wall = std::chrono::seconds(120);
  return finish(command).out;
}

std::string unescaped(std::string text) {
  for (const auto& [from, to] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}}) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, std::string_view(from).size(), to);
  }
  return text;
}

nlohmann::json checks_in(const std::string& document) {
  const std::string begin = "<pre id=\"checks\">";
  const std::size_t at = document.rfind(begin), end = document.find("</pre>", at);
  if (at == std::string::npos || end == std::string::npos) return nullptr;
  return nlohmann::json::parse(unescaped(document.substr(at + begin.size(), end - at - begin.size())), nullptr, false);
}

}  // namespace

TEST_CASE("a trace opens in a browser and can be stepped through") {
  const std::string browser = find_browser();
  if (browser.empty()) {
    std::puts("skipped: no Chromium (Debian: apt-get install chromium; or WARPBOOK_CHROMIUM=/path/to/it)");
    return;
  }
  const Home home;
  REQUIRE(home.judge({"trace", "05", "--solution", "--case", "plain", "--output", "page.html"}).status == kAccepted);
  std::string page = home.read("page.html");
  replace(page, "<body>", "<body><script>window.traceErrors = []; addEventListener('error', (e) => traceErrors.push(e.message));</script>");
  replace(page, "</body>", "<script>" + repository_text("judge/trace/page_checks.js") + "</script></body>");
  home.write("checked.html", page);
  constexpr double kSoonEnough = 1000;  // milliseconds from navigation to a drawn page: a block of 256 threads, a row of 1,024
  double mounted = 1e9;
  nlohmann::json seen;
  for (int i = 0; i < 3 && mounted >= kSoonEnough; ++i) {  // the fastest of three: the machine has other things to do
    seen = checks_in(open_page(home, browser, "checked.html"));
    REQUIRE(seen.is_object());
    INFO(seen.dump(2));
    REQUIRE(seen["errors"].empty());
    mounted = std::min(mounted, seen["mounted"].get<double>());
  }
  INFO(seen.dump(2));
  CHECK(mounted < kSoonEnough);

  // The beginning: one warp runs, seven have not begun.
  CHECK(seen["first"]["step"] == "0");
  CHECK(seen["first"]["warps"].size() == 8);
  CHECK(seen["first"]["warps"][0] == "runs");
  CHECK(seen["first"]["warps"][7] == "not begun");

  // The first load: 32 floats side by side are four sectors.
  const std::string words = seen["load"]["words"];
  CHECK(contains(words, "reads x, 32 lanes"));
  CHECK(contains(words, "4 sectors"));
  CHECK(seen["load"]["lanes"] == 32);
  CHECK(seen["load"]["sectors"] == 4);
  CHECK(seen["backAgain"] == true);

  // Two reductions of two barriers each: at each one to seven warps wait for the eighth.
  const std::vector<std::string> barriers = seen["barriers"];
  CHECK(std::find(barriers.begin(), barriers.end(), "7 of 8 warps wait at barrier 0") != barriers.end());
  CHECK(barriers.size() >= 7);

  // The end: the second reduction left the warps' sums of x^2 in shared memory, one by each warp, and their total / 1024 is mean_square.
  const nlohmann::json& end = seen["end"];
  CHECK(end["exited"] == 8);
  CHECK(end["writers"] == nlohmann::json({0, 1, 2, 3, 4, 5, 6, 7}));
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += end["partials"][i].get<double>();
  CHECK(end["partials"][8].is_null());
  const double mean = end["mean"][0], mean_square = end["meanSquare"][0];
  CHECK(std::abs(sum / 1024 - mean_square) < 1e-5 * mean_square);
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(end["mean"][lane] == mean);
    CHECK(std::abs(end["scale"][lane].get<double>() - 1 / std::sqrt(mean_square - mean * mean + 1e-5)) < 1e-4);
  }

  CHECK(seen["otherWarp"] == "6");
  CHECK(seen["home"] == "0");
  CHECK(seen["playing"] == "true");
  CHECK(seen["paused"] == "false");
  CHECK(seen["instructions"].get<int>() > seen["steps"].get<int>());
  CHECK(seen["ownFileOnly"].get<int>() < seen["steps"].get<int>());
  CHECK(seen["unnamed"] == 0);
}
