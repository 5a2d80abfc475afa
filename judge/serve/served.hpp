#pragma once
// A running server of a test's own, with a workbook of its own, and a client that says exactly what it is told to: also what no browser
// would say.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "judge/serve/web_server.hpp"
#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

namespace warpbook::serve {

inline std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// What came back.
struct Reply {
  int status = 0;  ///< 0: nothing came
  std::map<std::string, std::string> headers;
  std::string body;
  nlohmann::json json() const {
    const nlohmann::json parsed = nlohmann::json::parse(body, nullptr, false);
    INFO(body.substr(0, 500));
    REQUIRE_FALSE(parsed.is_discarded());
    return parsed;
  }
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// One connection to 127.0.0.1.
class Wire {
 public:
  explicit Wire(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  ~Wire() {
    if (fd_ >= 0) ::close(fd_);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// False when the other side would not take all of it.
  bool send(const std::string& bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t sent = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      done += static_cast<std::size_t>(sent);
    }
    return true;
  }
  void end_sending() const { ::shutdown(fd_, SHUT_WR); }

  /// Reads until `text` has come, the other side closes, or the patience ends; everything read so far is in `read`.
  bool until(const std::string& text, std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (read.find(text) == std::string::npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      pollfd ready{fd_, POLLIN, 0};
      if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) return false;
      char buffer[1 << 16];
      const ssize_t got = ::recv(fd_, buffer, sizeof buffer, 0);
      if (got <= 0) {
        closed = true;
        return false;
      }
      read.append(buffer, static_cast<std::size_t>(got));
    }
    return true;
  }
  /// Reads to the end of the connection.
  Reply reply(std::chrono::milliseconds patience = std::chrono::seconds(60)) {
    until(std::string("\0never\0", 7), patience);
    Reply out;
    const std::size_t head = read.find("\r\n\r\n");
    if (head == std::string::npos || !read.starts_with("HTTP/1.1 ")) return out;
    out.status = std::stoi(read.substr(9, 3));
    for (std::size_t at = read.find("\r\n") + 2; at < head;) {
      const std::size_t end = std::min(read.find("\r\n", at), head), colon = read.find(": ", at);
      if (colon < end) out.headers[lower_case(read.substr(at, colon - at))] = read.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    out.body = read.substr(head + 4);
    return out;
  }

  std::string read;
  bool closed = false;

 private:
  int fd_;
};

/// A client of a server on this machine: each request on a connection of its own. `headers` are whole lines, each with its end.
class Client {
 public:
  std::string host() const { return "127.0.0.1:" + std::to_string(port); }

  Reply ask(const std::string& method, const std::string& path, const std::string& body = {}, const std::string& headers = {}) const {
    Wire wire(port);
    std::string head = method + " " + path + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n" + headers;
    if (!body.empty() && headers.find("Content-Type") == std::string::npos) head += "Content-Type: application/json\r\n";
    if (!body.empty()) head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    wire.send(head + "\r\n" + body);
    return wire.reply();
  }
  /// Opens a stream of events.
  std::unique_ptr<Wire> follow(const std::string& path, const std::string& headers = {}) const {
    auto wire = std::make_unique<Wire>(port);
    wire->send("GET " + path + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers + "\r\n");
    return wire;
  }

  int port = 0;
};

class Served : public Client {
 public:
  explicit Served(ThreadLimits limits = {}, const std::filesystem::path& pages = {}) {
    WebOptions options;
    options.workbook.root = home.folder();
    options.workbook.program_folder = std::filesystem::path(WARPBOOK_BINARY_DIR) / "bin";
    options.pages = pages.empty() ? home.at("no-pages") : pages;
    options.threads = limits;
    server = std::make_unique<WebServer>(std::move(options));
    const Result<int> bound = server->bind();
    REQUIRE(bound);
    port = *bound;
    thread_ = std::thread([this] { server->run(); });
  }
  ~Served() {
    server->stop();
    thread_.join();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  Reply get(const std::string& path) const { return ask("GET", path); }
  Reply send(const std::string& method, const std::string& path, const nlohmann::json& body) const {
    return ask(method, path, body.dump());
  }

  cli::Home home{"served"};
  std::unique_ptr<WebServer> server;

 private:
  std::thread thread_;
};

}  // namespace warpbook::serve
