#include "judge/serve/web_server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/serve/class_files.hpp"
#include "judge/serve/gate.hpp"
#include "judge/serve/guard.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {

namespace {

RunQueueOptions queue_of(const WebOptions& options) {
  RunQueueOptions queue;
  queue.at_once = options.runs_at_once;
  if (!options.desk) return queue;
  constexpr int kMostRunsWaiting = 4000, kMostRunsRemembered = 300;
  queue.at_once = options.desk->config.jobs;
  queue.most_waiting = kMostRunsWaiting;
  queue.most_waiting_each = options.desk->config.limits.runs_waiting_per_learner;
  queue.most_remembered = kMostRunsRemembered;
  queue.waiting.patience = options.patience;
  queue.waiting.reachable = [desk = options.desk.get()] { return desk->reachable(); };
  return queue;
}

ListenerOptions listener_of(const WebOptions& options, const ClassDesk* desk) {
  if (desk == nullptr) return {"127.0.0.1", options.port, options.threads};
  return {desk->config.address, desk->config.port, options.threads};
}

}  // namespace

WebServer::WebServer(WebOptions options)
    : service_(options.workbook, queue_of(options), std::move(options.desk)),
      pages_(options.pages),
      listener_(listener_of(options, service_.desk.get()), [this](const Request& request) { return answer(request); }) {
  service_.ending = [this] { return ending_.load(); };
  add_session_routes(router_, service_);
  add_workbook_routes(router_, service_);
  add_task_routes(router_, service_);
  add_file_routes(router_, service_);
  add_run_routes(router_, service_);
  add_attempt_routes(router_, service_);
  add_hint_routes(router_, service_);
  add_answer_routes(router_, service_);
  add_trace_routes(router_, service_);
  if (!service_.desk) return;
  add_class_people_routes(router_, service_);
  add_class_progress_routes(router_, service_);
  add_class_submission_routes(router_, service_);
  add_class_statistics_routes(router_, service_);
  add_class_rejudge_routes(router_, service_);
}

WebServer::~WebServer() { stop(); }

Result<int> WebServer::bind() {
  if (service_.desk)
    if (Status ok = check_class_files(service_.desk->config, *service_.shelf.look()); !ok) return std::move(ok).error();
  const Result<int> port = listener_.bind();
  if (!port) {
    const char* other =
        service_.desk ? "'port' in the class's file may name another, and 0 takes any that is free" : "--port 0 takes any that is free";
    return Error{fmt::format("{}; {}", port.error().what, other)};
  }
  if (service_.desk) service_.desk->listens_on(*port);
  return port;
}

void WebServer::run() { listener_.run(); }

void WebServer::stop() {
  ending_ = true;
  service_.rejudges.end();
  service_.runs.stop();
  service_.rejudges.stop();
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
  ClassDesk* desk = service_.desk.get();
  if (auto refusal = refuse_stranger(request, desk == nullptr ? nullptr : &desk->address())) return std::move(*refusal);
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
  if (desk != nullptr)
    if (auto refusal = refuse_at_gate(*desk, *route, request)) return std::move(*refusal);
  if (auto refusal = refuse_body(*route, request)) return std::move(*refusal);
  Answer answer = route->handler(request);
  return desk != nullptr && answer.events ? held_to_person(*desk, request, std::move(answer)) : answer;
}

}  // namespace warpbook::serve
