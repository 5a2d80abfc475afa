#include "judge/serve/web_server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/serve/guard.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {

WebServer::WebServer(WebOptions options)
    : service_(options.workbook, {options.workbook, options.runs_at_once}),
      pages_(options.pages),
      listener_({"127.0.0.1", options.port, options.threads}, [this](const Request& request) { return answer(request); }) {
  service_.ending = [this] { return ending_.load(); };
  add_workbook_routes(router_, service_);
  add_task_routes(router_, service_);
  add_file_routes(router_, service_);
  add_run_routes(router_, service_);
  add_attempt_routes(router_, service_);
  add_hint_routes(router_, service_);
  add_answer_routes(router_, service_);
  add_trace_routes(router_, service_);
}

WebServer::~WebServer() { stop(); }

Result<int> WebServer::bind() { return listener_.bind(); }

void WebServer::run() { listener_.run(); }

void WebServer::stop() {
  ending_ = true;
  service_.runs.stop();
  listener_.stop();
}

Answer WebServer::answer(Request request) {
  Answer answer = route(std::move(request));
  const auto says = [&](const std::string& name) {
    return std::any_of(answer.headers.begin(), answer.headers.end(), [&](const auto& header) { return header.first == name; });
  };
  if (!says("Cache-Control")) answer.headers.emplace_back("Cache-Control", "no-store");
  if (!says("Content-Security-Policy"))
    answer.headers.emplace_back("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  return answer;
}

Answer WebServer::route(Request request) {
  if (auto refusal = refuse_stranger(request)) return std::move(*refusal);
  const auto wrong_method = [&](const std::string& allowed) {
    Answer answer =
        failure(405, "wrong-method", fmt::format("{} is not possible here, expected {}", request.method, allowed), request.path);
    answer.headers.emplace_back("Allow", allowed);
    return answer;
  };
  if (!request.path.starts_with("/api/")) {
    if (request.method != "GET" && request.method != "HEAD") return wrong_method("GET");
    return pages_.answer(request);
  }
  std::string allowed;
  const Route* route = router_.find(request, allowed);
  if (route == nullptr && !allowed.empty()) return wrong_method(allowed);
  if (route == nullptr) return failure(404, "not-found", "there is no such address", request.path);
  if (auto refusal = refuse_body(*route, request)) return std::move(*refusal);
  return route->handler(request);
}

}  // namespace warpbook::serve
