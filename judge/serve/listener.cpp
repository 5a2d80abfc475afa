// What of cpp-httplib 0.11 is gone around here, and why:
//   - Its routes are regular expressions; ours are in router.cpp, so that a wrong method is told from an unknown path. Requests without a
//     body are answered before it routes, those with one by a route that takes every path.
//   - It waits for a body of unknown length until the client closes; a DELETE without Content-Length (every browser's) has none.
//   - It limits bodies that say their length, not chunked ones; those are counted here.
//   - It compresses by itself, at brotli's slowest level. It knows the types by their exact name, and ours carry a charset; pages come
//     compressed from the disk (static_files.cpp).
//   - Its connections: connection.hpp.
//   - It shares its port with whoever binds the same (SO_REUSEPORT) and queues five connections.
//   - It closes a connection after an error only when the answer fails to be written, so an answer to a request whose body was not read
//     is written and then called a failure.
#include "judge/serve/listener.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "judge/serve/connection.hpp"
#include "judge/serve/guard.hpp"

namespace warpbook::serve {
namespace {

constexpr int kBacklog = 1024;
constexpr std::chrono::seconds kKeepAlive{5};
constexpr int kRequestsPerConnection = 10'000;
/// So much of a body that is too large is read and dropped, so that its sender hears why; more ends the connection.
constexpr std::size_t kMostRead = 64u << 20;
/// After so long without an event a stream says that it is alive, and hears that its reader is gone.
constexpr std::chrono::seconds kHeartbeat{15};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Request request_of(const httplib::Request& from) {
  Request request;
  request.method = from.method;
  request.path = from.path;
  request.peer = from.remote_addr;
  for (const auto& [name, value] : from.params) request.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) {
    const auto [known, fresh] = request.headers.emplace(lower(name), value);
    // A proxy may add a line of its own instead of a word to the client's; the last word is the one that counts (ClassDesk::address_of).
    if (!fresh && known->first == "x-forwarded-for") known->second += "," + value;
  }
  return request;
}

/// A token of RFC 9110: the name of a header. A blank before the colon makes another name of it here and the same one to others (RFC
/// 9112, 5.1); one in front is the rest of the line before (obs-fold).
bool is_header_name(const std::string& name) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || kSigns.find(static_cast<char>(c)) != std::string_view::npos);
  });
}

/// Two answers to where a request goes or where it ends: a proxy in front may have believed the other one.
std::optional<std::string> ambiguous(const httplib::Request& request) {
  for (const auto& [name, value] : request.headers)
    if (!is_header_name(name))
      return fmt::format("a header is named '{}', expected letters, digits and hyphens right before the colon", name.substr(0, 40));
  if (request.get_header_value_count("Host") > 1) return "the request has two Host headers, expected one";
  if (request.get_header_value_count("Content-Length") > 1) return "the request has two Content-Length headers, expected one";
  const std::string length = request.get_header_value("Content-Length"), coding = lower(request.get_header_value("Transfer-Encoding"));
  constexpr std::size_t kMostDigits = 18;
  const bool is_length = !length.empty() && length.size() <= kMostDigits && length.find_first_not_of("0123456789") == std::string::npos;
  if (request.has_header("Content-Length") && !is_length)
    return fmt::format("the Content-Length is '{}', expected decimal digits and nothing else", length.substr(0, 40));
  if (request.has_header("Transfer-Encoding") && coding != "chunked")
    return fmt::format("the Transfer-Encoding is '{}', expected chunked or none", coding.substr(0, 40));
  if (request.has_header("Transfer-Encoding") && request.has_header("Content-Length"))
    return "the request has both Transfer-Encoding and Content-Length, expected one of them";
  return std::nullopt;
}

/// A body that nobody is going to read.
bool brings_body(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return true;
  const std::string length = request.get_header_value("Content-Length");
  return !length.empty() && length != "0";
}

bool reads_bodies(const std::string& method) { return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE"; }

class Queue final : public httplib::TaskQueue {
 public:
  explicit Queue(std::shared_ptr<Threads> threads) : threads_(std::move(threads)) {}
  void enqueue(std::function<void()> job) override { threads_->enqueue(std::move(job)); }
  void shutdown() override { threads_->shutdown(); }

 private:
  std::shared_ptr<Threads> threads_;
};

/// Sends the body and then has the connection closed.
void send_and_close(httplib::Response& to, const std::string& type, std::string body) {
  to.set_header("Connection", "close");
  const auto whole = std::make_shared<std::string>(std::move(body));
  to.set_content_provider(whole->size(), type, [whole](std::size_t, std::size_t, httplib::DataSink& sink) {
    sink.write(whole->data(), whole->size());
    return false;
  });
}

}  // namespace

/// The library's server, with a longer queue in front of it and our connections.
class ListenerSocket final : public httplib::Server {
 public:
  ListenerSocket() : stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~ListenerSocket() override { ::close(stop_); }

  void lengthen_queue() { ::listen(svr_sock_, kBacklog); }
  /// Ends the accepting, and connections that wait for a request or for the rest of one. (The library's stop() does nothing while
  /// its loop has not begun, and the loop then never ends.)
  void end() {
    if (const int accepting = svr_sock_.exchange(INVALID_SOCKET); accepting != INVALID_SOCKET) {
      ::shutdown(accepting, SHUT_RDWR);
      ::close(accepting);
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(stop_, &one, sizeof one);
  }

 private:
  bool process_and_close_socket(socket_t fd) override {
    Connection connection(fd, stop_);
    bool good = true, closed = false;
    for (int left = kRequestsPerConnection; left > 0 && good && !closed && connection.wait_for_request(kKeepAlive); --left)
      good = process_request(connection, left == 1, closed, nullptr);
    ::shutdown(fd, SHUT_RDWR);
    ::close(fd);
    return good;
  }

  int stop_;
};

struct Listener::State {
  ListenerOptions options;
  Handler handler;
  std::shared_ptr<Threads> threads;
  ListenerSocket socket;
  std::atomic<bool> stopping{false};

  void write(Answer answer, httplib::Response& to, bool close) {
    to.status = answer.status;
    for (const auto& [name, value] : answer.headers) {
      to.headers.erase(name);
      to.set_header(name, value);
    }
    if (answer.events) return write_stream(std::move(answer), to);
    if (close) return send_and_close(to, answer.type, std::move(answer.body));
    if (answer.body.empty()) return;
    // A text goes out by a provider: as a body, the library would compress it.
    if (!answer.type.starts_with("text/")) return to.set_content(answer.body, answer.type);
    const auto whole = std::make_shared<std::string>(std::move(answer.body));
    to.set_content_provider(whole->size(), answer.type, [whole](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
      return sink.write(whole->data() + offset, std::min(length, whole->size() - offset));
    });
  }

  void write_stream(Answer answer, httplib::Response& to) {
    const Threads::StreamPlace place = threads->take_stream_place();
    if (!place) {
      Answer refusal = failure(429, "too-many-streams", "too many streams of events are open, try again later");
      refusal.headers.emplace_back("Retry-After", "10");
      return write(std::move(refusal), to, false);
    }
    to.set_header("Cache-Control", "no-store");
    using Clock = std::chrono::steady_clock;
    const auto spoke = std::make_shared<Clock::time_point>(Clock::now());
    const auto first = std::make_shared<bool>(true);
    to.set_chunked_content_provider("text/event-stream",
                                    [this, place, spoke, first, events = std::move(answer.events)](std::size_t, httplib::DataSink& sink) {
                                      std::string out;
                                      // Something at once: a browser calls a stream open when its first bytes are there.
                                      if (std::exchange(*first, false)) out = ": open\n\n";
                                      const bool goes_on = events(out) && !stopping;
                                      if (out.empty() && Clock::now() - *spoke > kHeartbeat) out = ": alive\n\n";
                                      if (!out.empty()) {
                                        *spoke = Clock::now();
                                        if (!sink.write(out.data(), out.size())) return false;
                                      } else if (!sink.is_writable()) {
                                        return false;
                                      }
                                      if (!goes_on) sink.done();
                                      return true;
                                    });
  }

  void answer(const httplib::Request& from, httplib::Response& to, std::string body, bool close) {
    Request request = request_of(from);
    request.body = std::move(body);
    write(handler(request), to, close);
  }

  /// Reads what comes, keeps what may come.
  void read_and_answer(const httplib::Request& from, httplib::Response& to, const httplib::ContentReader& reader) {
    if (const std::string coding = from.get_header_value("Content-Encoding"); !coding.empty() && coding != "identity")
      return write(failure(415, "encoded-body", fmt::format("the body is encoded as '{}', expected it as it is", coding)), to, true);
    if (from.is_multipart_form_data())
      return write(failure(415, "not-json", "the content type is 'multipart/form-data', expected application/json"), to, true);
    std::string body;
    std::size_t read = 0;
    const bool whole = reader([&](const char* data, std::size_t size) {
      read += size;
      if (read <= kLargestBody) body.append(data, size);
      return read <= kMostRead;
    });
    if (read > kLargestBody || to.status == 413) {
      const std::string most = fmt::format("the body is too large, expected at most {} bytes", kLargestBody);
      return write(failure(413, "too-large", most, "body"), to, !whole);
    }
    if (!whole) return write(failure(400, "broken-body", "the body ended early or is not as its headers say", "body"), to, true);
    answer(from, to, std::move(body), false);
  }

  void connect() {
    socket.new_task_queue = [this] { return new Queue(threads); };
    socket.set_keep_alive_timeout(kKeepAlive.count());  // what its header says
    socket.set_payload_max_length(kLargestBody);
    socket.set_tcp_nodelay(true);
    socket.set_socket_options([](int fd) {
      const int yes = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    httplib::Headers headers;
    for (const auto& [name, value] : safe_headers()) headers.emplace(name, value);
    socket.set_default_headers(std::move(headers));
    using Handled = httplib::Server::HandlerResponse;
    socket.set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& to) {
      // Ranges are not offered, and the library would cut by itself.
      const_cast<httplib::Request&>(from).ranges.clear();
      if (const auto fault = ambiguous(from)) {
        write(failure(400, "bad-request", *fault), to, true);
        return Handled::Handled;
      }
      const bool body = brings_body(from);
      if (body && reads_bodies(from.method)) return Handled::Unhandled;
      if (body) {
        write(failure(400, "unexpected-body", fmt::format("{} takes no body", from.method)), to, true);
      } else {
        answer(from, to, {}, false);
      }
      return Handled::Handled;
    });
    const auto with_body = [this](const httplib::Request& from, httplib::Response& to, const httplib::ContentReader& reader) {
      read_and_answer(from, to, reader);
    };
    socket.Post(".*", with_body).Put(".*", with_body).Patch(".*", with_body).Delete(".*", with_body);
    socket.set_exception_handler([this](const httplib::Request&, httplib::Response& to, const std::exception_ptr& thrown) {
      std::string what = "unknown";
      try {
        std::rethrow_exception(thrown);
      } catch (const std::exception& e) {
        what = e.what();
      } catch (...) {
      }
      write(failure(500, "judge-error", fmt::format("judge error: {}", what)), to, true);
    });
    socket.set_error_handler(httplib::Server::HandlerWithResponse([this](const httplib::Request&, httplib::Response& to) {
      if (to.content_provider_ || !to.body.empty()) return Handled::Unhandled;  // an answer of ours
      write(failure(to.status, "bad-request", "the request is not HTTP as this server reads it"), to, true);
      return Handled::Handled;
    }));
  }
};

Listener::Listener(ListenerOptions options, Handler handler) : state_(std::make_unique<State>()) {
  state_->threads = std::make_shared<Threads>(options.threads);
  state_->options = std::move(options);
  state_->handler = std::move(handler);
  state_->connect();
}

Listener::~Listener() = default;

Result<int> Listener::bind() {
  const ListenerOptions& options = state_->options;
  int port = options.port;
  errno = 0;
  const bool bound =
      port == 0 ? (port = state_->socket.bind_to_any_port(options.address)) > 0 : state_->socket.bind_to_port(options.address, port);
  if (!bound)
    return Error{fmt::format("cannot listen on {}:{}: {}", options.address, options.port, errno == 0 ? "in use" : std::strerror(errno))};
  state_->socket.lengthen_queue();
  return port;
}

void Listener::run() { state_->socket.listen_after_bind(); }

void Listener::stop() {
  state_->stopping = true;
  state_->socket.end();
}

}  // namespace warpbook::serve
