// The parts that need no socket: routes, the guard, the view of a result, the file under the editor.
#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/learner/work_folder.hpp"
#include "judge/serve/attempt_json.hpp"
#include "judge/serve/events.hpp"
#include "judge/serve/guard.hpp"
#include "judge/serve/learner_file.hpp"
#include "judge/serve/learner_view.hpp"
#include "judge/serve/router.hpp"
#include "judge/serve/run_order.hpp"
#include "judge/serve/served.hpp"
#include "judge/task/task_folder.hpp"

using namespace warpbook;
using namespace warpbook::serve;

namespace {

Request plain_request(const std::string& method, const std::string& path) {
  Request request;
  request.method = method;
  request.path = path;
  request.headers["host"] = "127.0.0.1:8787";
  return request;
}

int status_of(const std::optional<Answer>& refusal) { return refusal ? refusal->status : 200; }

struct OneTask {
  cli::Home home{"one-task"};
  learner::Workbook workbook{home.folder(), {}, "en"};
  task::Task task;
  explicit OneTask(const std::string& id) {
    Result<task::Task> found = task::find_task(home.folder(), id);
    REQUIRE(found);
    task = *found;
  }
  LearnerFile look() const {
    const Result<LearnerFile> file = look_at_file(workbook, task);
    REQUIRE(file);
    return *file;
  }
  Written fill(const std::string& blank, const std::string& text) const {
    return write_learner_file(workbook, task, {look().version, {{blank, text}}, {}, false});
  }
  std::string on_disk() const { return home.read(std::filesystem::relative(learner::work_file(workbook, task), home.folder())); }
};

std::string shown(const LearnerFile& file, const FileRegion& region) { return file.text.substr(region.begin, region.end - region.begin); }

}  // namespace

TEST_CASE("a path finds its route, its names and the methods it has") {
  Router router;
  router.add(Access::kLearner, "GET", "/api/tasks/{id}", [](const Request&) { return Answer{}; });
  router.add(Access::kLearner, "PUT", "/api/tasks/{id}/file", Body::kJson, [](const Request&) { return Answer{}; });
  std::string allowed;
  Request request = plain_request("GET", "/api/tasks/05-layernorm");
  REQUIRE(router.find(request, allowed) != nullptr);
  CHECK(request.name("id") == "05-layernorm");
  Request head = plain_request("HEAD", "/api/tasks/x");
  CHECK(router.find(head, allowed) != nullptr);
  for (const std::string path : {"/api/tasks/", "/api/tasks", "/api/tasks/a/b", "/api/tasks//file", "/", "/api/tasks/a/"}) {
    Request other = plain_request("GET", path);
    CHECK(router.find(other, allowed) == nullptr);
  }
  Request wrong = plain_request("DELETE", "/api/tasks/a/file");
  CHECK(router.find(wrong, allowed) == nullptr);
  CHECK(allowed == "PUT");
}

TEST_CASE("a foreign name, a foreign page and an unknown language are refused") {
  Request request = plain_request("PUT", "/api/x");
  CHECK(status_of(refuse_stranger(request)) == 200);
  for (const std::string host : {"localhost", "localhost:9000", "127.0.0.1", "[::1]:8787"}) {
    request.headers["host"] = host;
    CHECK(status_of(refuse_stranger(request)) == 200);
  }
  for (const std::string host :
       {"", "example.org", "example.org:8787", "127.0.0.1.example.org", "localhost.example.org:8787", "127.0.0.1:x"}) {
    request.headers["host"] = host;
    CHECK(status_of(refuse_stranger(request)) == 403);
  }
  request.headers["host"] = "127.0.0.1:8787";
  request.headers["origin"] = "http://127.0.0.1:8787";
  CHECK(status_of(refuse_stranger(request)) == 200);
  for (const std::string origin :
       {"http://example.org", "null", "https://127.0.0.1:8787", "http://127.0.0.1:8788", "http://localhost:8787"}) {
    request.headers["origin"] = origin;
    CHECK(status_of(refuse_stranger(request)) == 403);
  }
  request.headers.erase("origin");
  request.headers["sec-fetch-site"] = "cross-site";
  CHECK(status_of(refuse_stranger(request)) == 403);
  request.headers.erase("sec-fetch-site");
  request.query["lang"] = "fr";
  CHECK(status_of(refuse_stranger(request)) == 400);
}

TEST_CASE("a body is JSON, an object, text and not deep") {
  Route route{Access::kLearner, "PUT", "/x", Body::kJson, {}};
  const auto status = [&](const std::string& type, const std::string& body) {
    Request request = plain_request("PUT", "/x");
    request.headers["content-type"] = type;
    request.body = body;
    return status_of(refuse_body(route, request));
  };
  CHECK(status("application/json", "{}") == 200);
  CHECK(status("application/json; charset=utf-8", "{\"a\": \"[[[[[[[[[[[[\"}") == 200);
  CHECK(status("Application/JSON", "") == 200);
  CHECK(status("text/plain", "{}") == 415);
  CHECK(status("application/x-www-form-urlencoded", "a=b") == 415);
  CHECK(status("", "{}") == 415);
  for (const std::string body :
       {"{", "[]", "3", "null", "{\"a\": }", "{\"a\": 1} {", "\xff\xfe", "{\"a\": \"\xc3\"}", "{\"a\": [[[[[[[[[]]]]]]]]]}"})
    CHECK(status("application/json", body) == 400);
  CHECK(status("application/json", std::string(1u << 20, '[')) == 400);
}

TEST_CASE("a learner's view of a result has no seed, and no name of a mistake before it is told") {
  const nlohmann::json result = {{"provenance", {{"seed", 4711}, {"seed_hash", "abc"}, {"device", "virtual GPU"}}},
                                 {"diagnosis", {{"name", "no-clamp"}, {"mistake", "nothing clamps"}, {"question", "what is below 0?"}}}};
  const nlohmann::json before = learner_view(result, false), after = learner_view(result, true);
  CHECK(before.dump().find("seed") == std::string::npos);
  CHECK(before["provenance"]["device"] == "virtual GPU");
  CHECK(before["diagnosis"] == nlohmann::json({{"question", "what is below 0?"}}));
  CHECK(after["diagnosis"]["name"] == "no-clamp");
  CHECK(after.dump().find("seed") == std::string::npos);
}

TEST_CASE("an attempt that an earlier server left unfinished is told as interrupted, and no other") {
  store::Attempt attempt;
  attempt.started_ms = 1000;
  CHECK(was_interrupted(attempt, 1001));
  CHECK_FALSE(was_interrupted(attempt, 1000));  // this server's own: it is judged now, or was cancelled
  CHECK(attempt_json(attempt, 1001)["interrupted"] == true);
  attempt.finished_ms = 1500;
  CHECK_FALSE(was_interrupted(attempt, 2000));
}

TEST_CASE("an event is three lines, whatever is in it") {
  CHECK(event_text("case", {{"text", "a\nb"}}, "3") == "id: 3\nevent: case\ndata: {\"text\":\"a\\nb\"}\n\n");
  CHECK(event_text("case", {{"text", "\xff"}}, "3").find("\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("orders that would show the same have the same key") {
  const RunOrder order{"05", "text", "work/05/exercise.cu", {"a", "b"}, false};
  RunOrder other = order;
  CHECK(other.key() == order.key());
  other.cases = {"ab"};
  CHECK(other.key() != order.key());
  other = order;
  other.text += " ";
  CHECK(other.key() != order.key());
  other = order;
  other.meters = true;
  CHECK(other.key() != order.key());
}

TEST_CASE("the file is the exercise until the first write, and then the blanks in it") {
  const OneTask one("05-layernorm");
  LearnerFile file = one.look();
  CHECK_FALSE(file.exists);
  REQUIRE(file.regions.size() == 1);
  CHECK(file.regions[0].blank == "variance");
  CHECK(shown(file, file.regions[0]).empty());
  CHECK(file.regions[0].to_line == file.regions[0].from_line - 1);
  CHECK(file.regions[0].from == file.regions[0].to);
  const std::string before = file.text;

  const Written written = one.fill("variance", "  float a = 1;\r\n  // \xE6\x96\xB9\xE5\xB7\xAE \xF0\x9F\x99\x82");
  REQUIRE(written.kind == Written::Kind::kDone);
  CHECK(written.file.exists);
  CHECK(written.file.version == one.look().version);
  const FileRegion& region = written.file.regions.at(0);
  CHECK(shown(written.file, region) == "  float a = 1;\n  // \xE6\x96\xB9\xE5\xB7\xAE \xF0\x9F\x99\x82\n");
  CHECK(region.to_line == region.from_line + 1);
  CHECK(region.to - region.from == std::string("  float a = 1;\n  // ").size() + 2 + 1 + 2);  // the last character is a pair of units
  CHECK_FALSE(written.file.change);

  REQUIRE(one.fill("variance", "").kind == Written::Kind::kDone);
  CHECK(one.on_disk() == before);
}

TEST_CASE("an expression in a line is a blank, too") {
  const OneTask one("06-safe-softmax");
  const LearnerFile file = one.look();
  REQUIRE_FALSE(file.regions.empty());
  const FileRegion& empty = file.regions.front();
  CHECK_FALSE(empty.is_lines);
  CHECK(shown(file, empty) == "______");
  const Written written = one.fill(empty.blank, "logit > 0 ? 1.0f : expf(row_max)");
  REQUIRE(written.kind == Written::Kind::kDone);
  CHECK(shown(written.file, written.file.regions.front()) == "logit > 0 ? 1.0f : expf(row_max)");
  CHECK(one.on_disk().find("return logit > 0 ? 1.0f : expf(row_max); }") != std::string::npos);
  CHECK(one.fill(empty.blank, "1 /* open").kind == Written::Kind::kRefused);
  CHECK(one.fill(empty.blank, "1; } void f() {").kind != Written::Kind::kFailed);
}

TEST_CASE("a file that changed on disk is not written over") {
  const OneTask one("05-layernorm");
  REQUIRE(one.fill("variance", "  // mine\n").kind == Written::Kind::kDone);
  const std::string seen = one.look().version;
  const std::string theirs = one.on_disk() + "// a line of the editor\n";
  one.home.write("work/05-layernorm/exercise.cu", theirs);
  const Written written = write_learner_file(one.workbook, one.task, {seen, {{"variance", "  // again\n"}}, {}, false});
  CHECK(written.kind == Written::Kind::kConflict);
  CHECK(written.file.text == theirs);
  CHECK(one.on_disk() == theirs);
  // The text outside was changed; the blank can be written all the same, and what is outside stays or is restored, as is wished.
  CHECK(written.file.change);
  const Written kept = one.fill("variance", "  // kept\n");
  REQUIRE(kept.kind == Written::Kind::kDone);
  CHECK(kept.file.change);
  const Written restored = write_learner_file(one.workbook, one.task, {kept.file.version, {}, {}, true});
  REQUIRE(restored.kind == Written::Kind::kDone);
  CHECK_FALSE(restored.file.change);
  // What stood in the file before lies beside it.
  const std::filesystem::path copy = learner::work_file(one.workbook, one.task).string() + ".before-1";
  const Result<std::string> old_text = read_file(copy);
  REQUIRE(old_text);
  CHECK(old_text->find("// kept") != std::string::npos);
  CHECK(restored.file.text.find("  // kept\n") != std::string::npos);
  CHECK(restored.file.text.find("a line of the editor") == std::string::npos);
}

TEST_CASE("what would not be read back as it is written is refused") {
  const OneTask one("05-layernorm");
  for (const std::string text :
       {"  // <<< blank variance\n", "  // >>> blank other: x\n", "a\n// <<< blank variance\n// >>> blank variance: x\n"})
    CHECK(one.fill("variance", text).kind == Written::Kind::kRefused);
  CHECK(one.fill("variance", std::string("a\0b", 3)).kind == Written::Kind::kRefused);
  CHECK(one.fill("no-such-blank", "x").kind == Written::Kind::kRefused);
  CHECK(one.fill("variance", std::string(kLargestText, 'x')).kind == Written::Kind::kTooLarge);
  CHECK_FALSE(one.look().exists);
}

TEST_CASE("a file that is no text is shown as that, and can be restored") {
  const OneTask one("05-layernorm");
  one.home.write("work/05-layernorm/exercise.cu", "\xff\xfe\x01");
  const LearnerFile file = one.look();
  REQUIRE(file.trouble);
  CHECK(file.text.empty());
  CHECK(one.fill("variance", "x").kind == Written::Kind::kRefused);
  CHECK(write_learner_file(one.workbook, one.task, {file.version, {{"variance", "  x;\n"}}, {}, true}).kind == Written::Kind::kDone);
  CHECK(one.on_disk().find("  x;\n") != std::string::npos);
}

TEST_CASE("a file whose lines end with CR LF keeps them") {
  const OneTask one("05-layernorm");
  REQUIRE(one.fill("variance", "  // one\n").kind == Written::Kind::kDone);
  const std::string unix_text = one.on_disk(), source_hash = to_json(one.look())["source_hash"];
  std::string windows_text;
  for (const char c : unix_text) windows_text += c == '\n' ? "\r\n" : std::string(1, c);
  one.home.write("work/05-layernorm/exercise.cu", windows_text);
  CHECK(one.look().text == unix_text);
  CHECK(to_json(one.look())["source_hash"] == source_hash);
  REQUIRE(one.fill("variance", "  // one\n  // two\n").kind == Written::Kind::kDone);
  const std::string after = one.on_disk();
  CHECK(after.find("  // one\r\n  // two\r\n") != std::string::npos);
  CHECK(std::count(after.begin(), after.end(), '\n') == std::count(after.begin(), after.end(), '\r'));
}

TEST_CASE("an open problem is written whole") {
  const OneTask one("row-softmax");
  const LearnerFile file = one.look();
  CHECK(file.regions.empty());
  const Written written = write_learner_file(one.workbook, one.task, {file.version, {}, "// all mine\n", false});
  REQUIRE(written.kind == Written::Kind::kDone);
  CHECK(one.home.read("work/row-softmax/kernel.cu") == "// all mine\n");
}
