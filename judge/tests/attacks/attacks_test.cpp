// Every trick gets its verdict, every honest control passes, and the table in the README says so.
//
// WARPBOOK_ATTACKS_DEVICE=gpu runs all of it on a real GPU, and what the headers say of `judge bench` as well.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "judge/tests/attacks/attack_file.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"

using namespace warpbook;
using namespace warpbook::attacks;
using nlohmann::json;

namespace {

const std::filesystem::path kFolder = std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/tests/attacks";

std::string device() {
  const char* wanted = std::getenv("WARPBOOK_ATTACKS_DEVICE");
  return wanted == nullptr || *wanted == '\0' ? "vgpu" : wanted;
}

std::vector<AttackFile> all_attacks() {
  Result<std::vector<AttackFile>> all = read_attacks(kFolder);
  INFO((all ? std::string() : all.error().text()));
  REQUIRE(all);
  return std::move(*all);
}

bool has(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

/// The runs of one file, one after another.
struct Runs {
  explicit Runs(const AttackFile& of) : file(&of) {}
  const AttackFile* file;
  std::size_t next_seed = 0;
  std::optional<run::Child> child;
  cli::Said last;
  std::string stem() const { return std::filesystem::path(file->name).stem().string(); }
};

run::Command command_of(const cli::Home& home, const Runs& runs) {
  cli::Words words = {"run",
                      runs.file->task,
                      runs.stem() + ".cu",
                      "--author",
                      "--no-advice",
                      "--jobs",
                      "1",
                      "--device",
                      device(),
                      "--json",
                      runs.stem() + ".json",
                      "--seed",
                      runs.file->seeds[runs.next_seed]};
  for (const std::string& name : runs.file->cases) words.insert(words.end(), {"--case", name});
  return home.command(words);
}

/// Runs every file, as many at once as there are processors. What a run said last is in its `last`.
void run_all(const cli::Home& home, std::vector<Runs>& all) {
  const std::size_t most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  std::size_t begun = 0;
  std::vector<Runs*> running;
  const auto start = [&](Runs& one) {
    Result<run::Child> child = run::Child::start(command_of(home, one));
    REQUIRE(child);
    one.child = std::move(*child);
    ++one.next_seed;
  };
  while (begun < all.size() || !running.empty()) {
    for (; running.size() < most && begun < all.size(); ++begun) {
      home.write(all[begun].stem() + ".cu", all[begun].file->text);
      start(all[begun]);
      running.push_back(&all[begun]);
    }
    for (Runs* one : running) {
      if (!one->child->poll()) continue;
      one->last = cli::said(one->child->wait());
      one->child.reset();
      if (one->next_seed < one->file->seeds.size()) start(*one);
    }
    std::erase_if(running, [](const Runs* one) { return !one->child; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// A time below this share of the honest one is a gain.
constexpr double kNoLess = 0.9;

/// What `judge bench` made of a file.
struct Timed {
  cli::Said said;
  std::string statement;
  std::optional<double> seconds;  ///< of a launch; nothing when it is not stated
};

/// The judge's sentences about a result: of each case, or of the whole when nothing was run.
std::string sentences_of(const json& result) {
  std::string all = result.value("message", "");
  for (const json& c : result["cases"]) all += "\n" + c.value("message", "");
  for (const json& f : result["findings"]) all += "\n" + f.value("message", "");
  return all;
}

void check(const cli::Home& home, const Runs& runs) {
  const AttackFile& file = *runs.file;
  INFO(file.name << "\n" << runs.last.out << runs.last.err);
  REQUIRE(home.exists(runs.stem() + ".json"));
  const json result = json::parse(home.read(runs.stem() + ".json"));
  const bool accepted = has(file.verdicts, "AC");
  CHECK(runs.last.status == (accepted ? cli::kAccepted : cli::kNotAccepted));
  CHECK(has(file.verdicts, result["verdict"].get<std::string>()));
  if (accepted) return;
  std::vector<std::string> reasons;
  for (const json& c : result["cases"]) reasons.push_back(c["reason"]);
  if (result["cases"].empty()) reasons.push_back(result["reason"]);
  for (const std::string& reason : reasons) {
    INFO("reason " << reason);
    CHECK(has(file.reasons, reason));
  }
  // A verdict comes with what was seen.
  const std::string sentences = sentences_of(result);
  CHECK(sentences.find_first_not_of('\n') != std::string::npos);
  INFO(sentences);
  CHECK(cli::contains(sentences, file.says));
}

}  // namespace

TEST_CASE("every trick gets its verdict, and every honest control is accepted") {
  const std::vector<AttackFile> files = all_attacks();
  const cli::Home home;
  std::vector<Runs> all;
  for (const AttackFile& file : files) all.emplace_back(file);
  run_all(home, all);
  for (const Runs& runs : all) check(home, runs);
}

TEST_CASE("what computes the right values and cheats the clock gains nothing by it") {
  if (device() != "gpu") {
    WARN("skipped: a virtual GPU has no time; WARPBOOK_ATTACKS_DEVICE=gpu asks for a real one");
    return;
  }
  const std::vector<AttackFile> files = all_attacks();
  const cli::Home home;
  // Two at once would measure each other.
  const auto timed = [&](const AttackFile& file, const std::string& name) {
    home.write("timed.cu", file.text);
    std::filesystem::remove(home.at("timed.json"));
    Timed result;
    result.said = home.judge(
        {"bench", file.task, "timed.cu", "--author", "--case", name, "--device", "gpu", "--seconds", "1", "--json", "timed.json"});
    if (!home.exists("timed.json")) return result;
    const json measured = json::parse(home.read("timed.json"));
    REQUIRE(measured["cases"].size() == 1);
    result.statement = measured["cases"][0]["statement"];
    if (result.statement == "measured") result.seconds = measured["cases"][0]["time"]["seconds"];
    return result;
  };
  const auto plain = std::find_if(files.begin(), files.end(), [](const AttackFile& file) { return file.control == "plain"; });
  REQUIRE(plain != files.end());
  std::map<std::string, double> honest;  // by case
  for (const AttackFile& file : files) {
    if (file.bench.empty()) continue;
    const std::string& name = file.cases.front();
    const Timed result = timed(file, name);
    INFO(file.name << "\n" << result.said.out << result.said.err);
    if (file.bench == kBenchAccepted) CHECK(result.said.status == cli::kAccepted);
    if (file.bench == kBenchNotAccepted) CHECK(result.said.status == cli::kNotAccepted);
    if (file.bench != kBenchNoGain || !result.seconds) continue;
    if (honest.count(name) == 0) {
      const Timed by = timed(*plain, name);
      INFO(by.said.out << by.said.err);
      REQUIRE(by.seconds);
      honest[name] = *by.seconds;
    }
    CHECK(*result.seconds >= kNoLess * honest[name]);
  }
}

TEST_CASE("every known trick has a file, and every file has a row in the table that says what its header says") {
  const std::vector<AttackFile> files = all_attacks();
  std::set<std::string> seen;
  const std::string table = cli::repository_text("judge/tests/attacks/README.md");
  for (const AttackFile& file : files) {
    seen.insert(file.trick);
    INFO(file.name);
    const std::string cell = file.control.empty() ? file.trick : "honest: " + file.control;
    const std::string row =
        fmt::format("| {} | [{}]({}) | {} |", cell, std::filesystem::path(file.name).stem().string(), file.name,
                    file.reasons.empty() ? fmt::format("{}", fmt::join(file.verdicts, ", "))
                                         : fmt::format("{} {}", fmt::join(file.verdicts, ", "), fmt::join(file.reasons, ", ")));
    INFO(row);
    CHECK(cli::contains(table, row));
  }
  for (const std::string& name : trick_names()) {
    INFO(name);
    CHECK(seen.count(name) == 1);
  }
}

TEST_CASE("a header that does not say all, or names what is unknown, is refused with its place") {
  const std::string good =
      "// verdict: WA\n// reason: value\n// cases: heads\n// trick: half-inside\n// Half.\n// Not fooled: bounds.\nint x;\n";
  REQUIRE(read_attack("a.cu", good));
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& words) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const Result<AttackFile> file = read_attack("a.cu", text);
    INFO(text);
    REQUIRE_FALSE(file);
    INFO(file.error().text());
    CHECK(cli::contains(file.error().text(), words));
    CHECK(cli::contains(file.error().text(), "a.cu:"));
  };
  refused(good, "int x;\n", "does not open with");
  refused("half-inside", "half-outside", "no trick is called 'half-outside'");
  refused("// trick: half-inside\n", "", "neither a trick nor a control");
  refused("// trick: half-inside\n", "// trick: half-inside\n// control: plain\n", "or both");
  refused("// trick:", "// trik:", "'trik' is no key");
  refused("// cases: heads\n", "", "names no cases");
  refused("// Not fooled: bounds.\n", "", "why the judge is not fooled");
  refused("// reason: value\n", "", "has a reason");
  refused("// verdict: WA\n// reason: value\n", "// verdict: AC\n", "must fail when it is timed");
  refused("// cases: heads\n", "// cases: heads\n// bench: fast\n", "bench is 'fast'");
  refused("// cases: heads\n", "// cases: heads\n// bench: no-gain\n", "is not timed");
}
