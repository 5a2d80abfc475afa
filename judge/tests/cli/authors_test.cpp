// judge new and judge lint, as an author meets them.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/graded.hpp"
#include "judge/tests/cli/submissions.hpp"

using namespace warpbook;
using namespace warpbook::cli;

namespace {

/// lessons/, exercises/ and solutions/ as folders of the test's own, in which every task is a link.
void own_shelves(const Home& home) {
  for (const char* shelf : {"lessons", "exercises", "solutions"}) {
    std::filesystem::remove(home.at(shelf));
    std::filesystem::create_directory(home.at(shelf));
    for (const auto& item : std::filesystem::directory_iterator(std::filesystem::path(WARPBOOK_SOURCE_DIR) / shelf))
      std::filesystem::create_symlink(item.path(), home.at(shelf) / item.path().filename());
  }
}

/// Says yes to every request on a port of its own, for as long as it lives.
class KindServer {
 public:
  KindServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) == 0);
    REQUIRE(::listen(socket_, 4) == 0);
    REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      for (int client = 0; (client = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(client)) {
        char request[4096];
        const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        if (::read(client, request, sizeof request) <= 0 || ::write(client, answer.data(), answer.size()) < 0) continue;
      }
    });
  }
  ~KindServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  int port() const { return port_; }

 private:
  int socket_, port_ = 0;
  std::thread thread_;
};

std::string notes(const Home& home) { return home.judge({"lint", "05"}).out; }

}  // namespace

TEST_CASE("a new lesson on an existing operator passes the gate and says what is left") {
  const Home home;
  own_shelves(home);
  const Said made = home.judge({"new", "lesson", "77-trial", "--operator", "layernorm"});
  CHECK(made.status == kAccepted);
  CHECK(contains(made.out, "lessons/77-trial is there"));
  CHECK(contains(made.out, "TODO"));
  REQUIRE(home.judge({"verify", "77", "--write-matrix"}).status == kAccepted);
  const Said gate = home.judge({"verify", "77"});
  CHECK(gate.status == kAccepted);
  CHECK(contains(gate.out, ", 0 failed"));
  CHECK(contains(home.judge({"show", "77"}).out, "TODO: title"));
  CHECK(home.judge({"start", "77"}).status == kAccepted);
  CHECK(home.judge({"new", "lesson", "77-trial"}).status == kUsage);
}

TEST_CASE("a new lesson on an operator without a task has the form, and only what is unwritten fails") {
  const Home home;
  for (const char* shelf : {"lessons", "exercises", "solutions"}) {
    std::filesystem::remove(home.at(shelf));
    std::filesystem::create_directory(home.at(shelf));
  }
  const std::string other = "lessons/05-layernorm";
  std::filesystem::create_symlink(std::filesystem::path(WARPBOOK_SOURCE_DIR) / other, home.at(other));
  const Said made = home.judge({"new", "lesson", "77-trial", "--operator", "attention_row"});
  CHECK(made.status == kAccepted);
  CHECK(contains(made.out, "its kernels compute nothing yet"));
  CHECK(contains(home.read("lessons/77-trial/lesson.xml"), "<scalar name=\"keys\" value=\"64\"/>"));
  const std::string gate = home.judge({"verify", "77", "--write-matrix"}).out;
  CHECK(contains(gate, "FAIL solution.cu is accepted"));
  CHECK(contains(gate, "FAIL correct/todo-1.cu is accepted"));
  CHECK(contains(gate, ", 3 failed"));  // the solution and two correct ones; the wrong ones fail as their headers say
}

TEST_CASE("a new open problem has a starter, cases and submissions that run") {
  const Home home;
  own_shelves(home);
  CHECK(home.judge({"new", "exercise", "row-trial", "--operator", "softmax"}).status == kAccepted);
  const Graded graded = grade(home, {"row-trial", "--solution", "--case", "heads"});
  CHECK(graded.said.status == kAccepted);
  CHECK(home.judge({"new", "exercise", "norm-trial", "--operator", "rmsnorm"}).status == kAccepted);
  CHECK(grade(home, {"norm-trial", "--solution", "--case", "plain"}).said.status == kAccepted);
  CHECK(contains(home.read("exercises/norm-trial/starter.cu"), "cudaError_t launch_rmsnorm(const float* x"));
}

TEST_CASE("judge new says what it cannot make") {
  const Home home;
  own_shelves(home);
  CHECK(contains(home.judge({"new"}).err, "expected: judge new lesson|exercise SLUG"));
  CHECK(contains(home.judge({"new", "lesson"}).err, "needs a name"));
  CHECK(contains(home.judge({"new", "lesson", "Big Name"}).err, "is no name for a folder"));
  const Said unknown = home.judge({"new", "lesson", "77-trial", "--operator", "softmix"});
  CHECK(unknown.status == kUsage);
  CHECK(contains(unknown.err, "--operator is 'softmix', expected one of"));
  CHECK_FALSE(home.exists("lessons/77-trial"));
}

TEST_CASE("lint names each weakness of a lesson, and only --strict makes it a failure") {
  const Home home;
  const auto lesson = home.own_lesson("05-layernorm");
  const std::string manifest = home.read(lesson / "lesson.xml"), text = home.read(lesson / "lesson.md");
  const auto with_text = [&](const std::string& changed) {
    home.write(lesson / "lesson.md", changed);
    return notes(home);
  };
  const auto with_manifest = [&](const std::string& changed) {
    home.write(lesson / "lesson.xml", changed);
    return notes(home);
  };
  const std::string hint = "<hint level=\"2\">";
  const std::string leak = "hint of level 2 of blank 'variance' (en) holds code of the answer";
  CHECK_FALSE(contains(notes(home), leak));
  CHECK(contains(with_manifest(replaced(manifest, hint, hint + "Write fmaxf(mean_square - mean * mean, 0.0f). ")), leak));
  home.write(lesson / "lesson.xml", manifest);
  CHECK(contains(with_text(replaced(text, "(figure.svg)", "(figur.svg)")), "the link leads to 'figur.svg', which is not there"));
  std::string without_figure = text;
  without_figure.erase(without_figure.find("!["), without_figure.find("(figure.svg)") + 12 - without_figure.find("!["));
  CHECK(contains(with_text(without_figure), "no figure"));
  CHECK(contains(with_text(replaced(text, "<details><summary>5.", "<summary>5.")), "4 folded questions"));
  CHECK(contains(with_text(replaced(text, "33,558,849 | 33,558,848", "33,558,850 | 33,558,851") + "\n123456 654321 777777\n"),
                 "lacks numbers of lesson.md"));
  CHECK(contains(with_text(text + "\n## A heading more\n"), "in the same order of levels"));
  CHECK(contains(with_text("TODO\n" + text), "1 line says TODO, the first here"));
  CHECK(home.judge({"lint", "05"}).status == kAccepted);
  CHECK(home.judge({"lint", "05", "--strict"}).status == kNotAccepted);
  home.write(lesson / "lesson.md", text);
  std::filesystem::remove(lesson / "lesson.zh.md");
  CHECK(contains(notes(home), "lesson.zh.md: is missing, expected the text in Chinese"));
}

TEST_CASE("lint compares a translation with the English it says it is of") {
  const Home home;
  const auto lesson = home.own_lesson("05-layernorm");
  std::string chinese = home.read(lesson / "lesson.zh.md");
  chinese.erase(std::min(chinese.size(), chinese.find("\n<!-- of ")));  // the first such line counts
  home.write(lesson / "lesson.zh.md", chinese + "\n<!-- of lesson.md 0123456789abcdef -->\n");
  const std::string older = notes(home);
  const std::size_t at = older.find("is of an older lesson.md: it names 0123456789abcdef, expected ");
  REQUIRE(at != std::string::npos);
  const std::string expected = older.substr(older.find("expected ", at) + 9, 16);
  home.write(lesson / "lesson.zh.md", chinese + "\n<!-- of lesson.md " + expected + " -->\n");
  CHECK_FALSE(contains(notes(home), "is of an older"));
}

TEST_CASE("an author's wrong submission is judged as it is, and not recorded") {
  const Home home;
  const std::string file = (std::filesystem::path(WARPBOOK_SOURCE_DIR) / "lessons/05-layernorm/wrong/n-minus-one.cu").string();
  const Said refused = home.judge({"run", "05", file, "--case", "two-values"});
  CHECK(contains(refused.out, "changed-outside"));
  const Said judged = home.judge({"run", "05", file, "--author", "--case", "two-values", "--no-advice"});
  CHECK(judged.status == kNotAccepted);
  CHECK(contains(judged.out, "FAIL two-values"));
  CHECK(contains(judged.out, "judged as an author's file: not recorded"));
  CHECK(home.judge({"run", "05", "--author"}).status == kUsage);
}

TEST_CASE("a broken manifest elsewhere does not keep an author from a new lesson") {
  const Home home;
  own_shelves(home);
  home.write("lessons/76-broken/lesson.xml", "<lesson");
  const Said made = home.judge({"new", "lesson", "77-trial", "--operator", "layernorm"});
  CHECK(made.status == kAccepted);
  CHECK(contains(made.err, "warning: 76-broken is left out"));
  CHECK(contains(made.out, "lessons/77-trial is there"));
}

TEST_CASE("lint tries the links of a text where it is asked to") {
  const Home home;
  const std::filesystem::path lesson = home.own_lesson("05-layernorm");
  const KindServer server;
  const std::string answers = fmt::format("http://127.0.0.1:{}/there", server.port()), refuses = "http://127.0.0.1:1/gone";
  const std::string text = home.read("lessons/05-layernorm/lesson.md");
  home.write("lessons/05-layernorm/lesson.md", fmt::format("{}\n[one]({}) [two]({})\n", text, answers, refuses));
  CHECK_FALSE(contains(home.judge({"lint", "05"}).out, "does not answer"));
  const std::string tried = home.judge({"lint", "05", "--network"}).out;
  if (contains(tried, "links cannot be tried: program curl was not found")) return;  // said, and nothing more can be
  CHECK(contains(tried, "the link " + refuses + " does not answer"));
  CHECK_FALSE(contains(tried, answers));
}
