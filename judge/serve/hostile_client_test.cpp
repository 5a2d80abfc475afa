// What no page of ours sends: each gets a clear answer, and nobody else waits for it.
#include <fstream>

#include "judge/serve/served.hpp"

using namespace warpbook;
using namespace warpbook::serve;
using namespace std::chrono_literals;

namespace {

std::string code_of(const Reply& reply) { return reply.json()["error"]["code"]; }

bool answers_quickly(const Served& served) {
  const auto start = std::chrono::steady_clock::now();
  const bool well = served.get("/api/workbook").status == 200;
  return well && std::chrono::steady_clock::now() - start < 2s;
}

}  // namespace

TEST_CASE("each address answers its methods, its type and its size, and says what was wrong") {
  const Served served;
  CHECK(code_of(served.get("/api/nothing")) == "not-found");
  CHECK(served.get("/api/tasks/99-none").status == 404);
  CHECK(served.get("/api/tasks/..%2F..%2Fetc").status == 404);
  const Reply wrong = served.ask("DELETE", "/api/tasks/05-layernorm/file");
  CHECK(wrong.status == 405);
  CHECK(wrong.header("allow") == "GET, PUT");
  CHECK(served.ask("PATCH", "/api/workbook", "{}").status == 405);
  CHECK(served.ask("OPTIONS", "/api/workbook").status == 405);
  CHECK(served.ask("POST", "/", "{}").status == 405);
  CHECK(served.ask("GET", "/api/workbook", "{}").status == 400);
  CHECK(served.ask("PUT", "/api/tasks/05-layernorm/file", "{", "").status == 400);
  CHECK(served.ask("PUT", "/api/tasks/05-layernorm/file", "a=b", "Content-Type: application/x-www-form-urlencoded\r\n").status == 415);
  CHECK(served.ask("PUT", "/api/tasks/05-layernorm/file", "--x--", "Content-Type: multipart/form-data; boundary=x\r\n").status == 415);
  CHECK(served.ask("PUT", "/api/tasks/05-layernorm/file", "{}", "Content-Encoding: gzip\r\nContent-Type: application/json\r\n").status ==
        415);
  CHECK(served.ask("PUT", "/api/tasks/05-layernorm/file", "{}").status == 422);
  CHECK(served.ask("PUT", "/api/tasks/05-layernorm/file", "{}", "Origin: http://example.org\r\n").status == 403);
  CHECK(served.ask("POST", "/api/tasks/05-layernorm/runs", "{\"cases\": [\"none\"]}").status == 422);
  CHECK(served.get("/api/workbook?lang=fr").status == 400);
  CHECK(served.get("/api/attempts/1x").status == 404);
  CHECK(served.get("/api/runs/0").status == 404);
  CHECK_FALSE(served.home.exists("work/05-layernorm"));
}

TEST_CASE("a name that was made to point here is not ours") {
  const Served served;
  Wire wire(served.port);
  wire.send("GET /api/workbook HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
  CHECK(wire.reply().status == 403);
}

TEST_CASE("a request that says two things about where it goes or where it ends is refused") {
  const Served served;
  const std::string put = "PUT /api/tasks/05-layernorm/file HTTP/1.1\r\n", host = "Host: " + served.host() + "\r\n";
  const std::string json = "Content-Type: application/json\r\n";
  for (const std::string& request :
       {"GET /api/workbook HTTP/1.1\r\n" + host + "Host: example.org\r\n\r\n", "GET /api/workbook HTTP/1.1\r\n" + host + host + "\r\n",
        put + host + json + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        put + host + json + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", put + host + json + "Content-Length: +2\r\n\r\n{}",
        put + host + json + "Content-Length: 2, 2\r\n\r\n{}", put + host + json + "Content-Length: 2x\r\n\r\n{}",
        put + host + json + "Content-Length: -1\r\n\r\n", put + host + json + "Content-Length : 2\r\n\r\n{}",
        put + host + json + "Content-Length\t: 2\r\n\r\n{}",
        put + host + json + "Content-Length: 2\r\nTransfer-Encoding : chunked\r\n\r\n{}",
        put + host + json + " Content-Length: 2\r\n\r\n{}", put + host + json + "Content-\xc3\xa4: 2\r\n\r\n{}",
        "GET /api/workbook HTTP/1.1\r\n" + host + ": x\r\n\r\n",
        put + host + json + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"}) {
    Wire wire(served.port);
    wire.send(request);
    INFO(request);
    const Reply reply = wire.reply(10s);
    CHECK(reply.status == 400);
    CHECK(code_of(reply) == "bad-request");
    CHECK(reply.body.find(", expected ") != std::string::npos);
    CHECK(wire.closed);  // what stands behind it is nobody's request
  }
}

TEST_CASE("every answer forbids what pages of ours do not need") {
  const Served served;
  for (const std::string path : {"/", "/api/workbook", "/api/nothing", "/assets/none.js", "/api/tasks/05-layernorm/figures/figure.svg"}) {
    const Reply reply = served.get(path);
    INFO(path);
    CHECK(reply.header("x-content-type-options") == "nosniff");
    CHECK(reply.header("referrer-policy") == "no-referrer");
    CHECK(reply.header("cross-origin-resource-policy") == "same-origin");
    const std::string policy = reply.header("content-security-policy");
    CHECK(policy.find("default-src 'none'") == 0);
    CHECK(policy.find("unsafe-eval") == std::string::npos);
    CHECK(policy.find("script-src 'unsafe") == std::string::npos);
    CHECK(reply.header("access-control-allow-origin").empty());
  }
}

TEST_CASE("ten megabytes are too much, and the sender hears it") {
  const Served served;
  constexpr std::size_t kTen = 10u << 20;
  const Reply reply = served.ask("PUT", "/api/tasks/05-layernorm/file", std::string(kTen, 'x'));
  CHECK(reply.status == 413);
  CHECK(code_of(reply) == "too-large");
  // The same without saying so before.
  Wire wire(served.port);
  wire.send("PUT /api/tasks/05-layernorm/file HTTP/1.1\r\nHost: " + served.host() +
            "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\na00000\r\n");
  wire.send(std::string(kTen, 'x') + "\r\n0\r\n\r\n");
  CHECK(wire.reply().status == 413);
  // A source of more than a mebibyte in a body that is not too large.
  const std::string version = served.get("/api/tasks/05-layernorm/file").json()["version"];
  const nlohmann::json body = {{"base_version", version}, {"blanks", {{"variance", std::string((1u << 20) + 1, 'x')}}}};
  CHECK(served.send("PUT", "/api/tasks/05-layernorm/file", body).status == 413);
  CHECK_FALSE(served.home.exists("work/05-layernorm"));
  CHECK(answers_quickly(served));
}

TEST_CASE("slow, silent and half-closed clients keep nobody waiting") {
  const Served served;
  std::vector<std::unique_ptr<Wire>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<Wire>(served.port));
    if (i % 4 == 0) slow.back()->send("GET /api/work");
    if (i % 4 == 1) slow.back()->send("PUT /api/tasks/05-layernorm/file HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    if (i % 4 == 2) slow.back()->end_sending();
  }
  CHECK(answers_quickly(served));
  // One that ended its side after asking is answered all the same.
  Wire half(served.port);
  half.send("GET /api/workbook HTTP/1.1\r\nHost: " + served.host() + "\r\nConnection: close\r\n\r\n");
  half.end_sending();
  CHECK(half.reply().status == 200);
}

TEST_CASE("streams have threads of their own, up to a number, and requests go on beside them") {
  ThreadLimits limits;
  limits.requests = 4;
  limits.streams = 12;
  const Served served(limits);
  std::vector<std::unique_ptr<Wire>> streams;
  for (int i = 0; i < limits.streams; ++i) {
    streams.push_back(served.follow("/api/tasks/05-layernorm/file/events"));
    REQUIRE(streams.back()->until(": open", 10s));
  }
  CHECK(answers_quickly(served));
  const Reply one_more = served.get("/api/tasks/05-layernorm/file/events");
  CHECK(one_more.status == 429);
  CHECK_FALSE(one_more.header("retry-after").empty());
  streams.resize(1);
  // Those that were closed are noticed at the next look.
  bool open = false;
  for (int i = 0; i < 50 && !open; ++i) {
    std::this_thread::sleep_for(100ms);
    const auto again = served.follow("/api/tasks/05-layernorm/file/events");
    open = again->until(": open", 2s);
  }
  CHECK(open);
}

TEST_CASE("nonsense instead of HTTP is answered and closed") {
  const Served served;
  for (const std::string words : {"\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "BREW / HTTP/1.1\r\n\r\n"}) {
    Wire wire(served.port);
    wire.send(words);
    wire.end_sending();
    const Reply reply = wire.reply(10s);
    CHECK((reply.status == 400 || reply.status == 0));
  }
  const Reply reply = served.get("/" + std::string(9000, 'a'));
  CHECK((reply.status == 414 || reply.status == 400));
  CHECK(answers_quickly(served));
}

TEST_CASE("the port is ours alone") {
  const Served served;
  WebOptions options;
  options.workbook.root = served.home.folder();
  options.port = served.port;
  WebServer second(std::move(options));
  const Result<int> bound = second.bind();
  REQUIRE_FALSE(bound);
  CHECK(bound.error().what.find("--port 0") != std::string::npos);
}

TEST_CASE("a server that is told to end before it listens ends") {
  const cli::Home home("early");
  WebOptions options;
  options.workbook.root = home.folder();
  WebServer server(std::move(options));
  REQUIRE(server.bind());
  server.stop();
  server.run();
}

TEST_CASE("pages go out compressed, are kept by their hash, and stay inside their folder") {
  const TemporaryFolder folder("pages");
  const auto put = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  put("assets/index-abc123.js", "plain text of a script");
  put("assets/index-abc123.js.gz", "gzip of it");
  put("assets/index-abc123.js.br", "brotli of it");
  put("index.html", "<!doctype html><meta name=\"csp-nonce\" content=\"__CSP_NONCE__\"><p>page</p>");
  put(".secret.txt", "secret");
  const Served served({}, folder.path());
  const std::string script = "/assets/index-abc123.js";
  const auto with = [&](const std::string& header) { return served.ask("GET", script, {}, header); };
  CHECK(with("").body == "plain text of a script");
  CHECK(with("Accept-Encoding: gzip, deflate\r\n").body == "gzip of it");
  const Reply brotli = with("Accept-Encoding: gzip, deflate, br\r\n");
  CHECK(brotli.body == "brotli of it");
  CHECK(brotli.header("content-encoding") == "br");
  CHECK(brotli.header("vary") == "Accept-Encoding");
  CHECK(brotli.header("content-type") == "text/javascript; charset=utf-8");
  CHECK(brotli.header("cache-control").find("immutable") != std::string::npos);
  CHECK(with("Accept-Encoding: br;q=0, gzip;q=0.5\r\n").body == "gzip of it");
  const Reply known = with("Accept-Encoding: br\r\nIf-None-Match: " + brotli.header("etag") + "\r\n");
  CHECK(known.status == 304);
  CHECK(known.body.empty());
  CHECK(with("If-None-Match: " + brotli.header("etag") + "\r\n").status == 200);  // that is the tag of other bytes
  CHECK(with("Range: bytes=0-3\r\n").body == "plain text of a script");

  const Reply page = served.get("/tasks/05-layernorm"), again = served.get("/");
  CHECK(page.status == 200);
  CHECK(page.header("cache-control") == "no-cache");
  const std::string nonce = page.body.substr(page.body.find("content=\"") + 9, 32);
  CHECK(page.header("content-security-policy").find("style-src 'self' 'nonce-" + nonce + "'") != std::string::npos);
  CHECK(again.body.find(nonce) == std::string::npos);
  for (const std::string path : {"/../secret.txt", "/%2e%2e/secret.txt", "/.secret.txt", "/assets/%2e%2e/.secret.txt",
                                 "/assets//index-abc123.js.x", "/assets/index-abc123.js%00.txt", "/etc/passwd.txt", "//etc/passwd.txt"}) {
    INFO(path);
    const Reply reply = served.get(path);
    CHECK(reply.status == 404);
    CHECK(reply.body.find("secret\n") == std::string::npos);
  }
}

TEST_CASE("without pages there is a page that says how they are made") {
  const Served served;
  const Reply reply = served.get("/");
  CHECK(reply.status == 200);
  CHECK(reply.body.find("npm run build") != std::string::npos);
}
