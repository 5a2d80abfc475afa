#pragma once
// The web workbook as a whole: routes, guard, pages, queue and socket.
#include <atomic>
#include <filesystem>

#include "judge/serve/listener.hpp"
#include "judge/serve/router.hpp"
#include "judge/serve/service.hpp"
#include "judge/serve/static_files.hpp"

namespace warpbook::serve {

struct WebOptions {
  learner::Workbook workbook;
  std::filesystem::path pages;  ///< what `npm run build` made
  int port = 0;
  int runs_at_once = 1;
  ThreadLimits threads;
  /// Of a class, which then says address, port and runs at once; null: the form for one learner.
  std::unique_ptr<ClassDesk> desk;
  Patience patience{};  ///< of a class's runs with a database that is away
};

/// Five hundred learners with two streams each, and a connection for whatever else their browsers ask.
inline constexpr ThreadLimits kThreadsOfClass{1024, 1200};

class WebServer {
 public:
  explicit WebServer(WebOptions options);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// Binds to the loopback interface, or where the class says; the port. Errors: that it cannot, and files of the class that no run could
  /// use.
  Result<int> bind();
  /// Serves in this thread until stop().
  void run();
  /// From any thread, once or more: cancels what runs, ends the streams, closes.
  void stop();

  /// Answers a request as the socket does. For tests that need no socket.
  Answer answer(Request request);
  const std::vector<Route>& routes() const { return router_.routes(); }

 private:
  Answer route(Request request);

  std::atomic<bool> ending_{false};
  Service service_;
  Router router_;
  StaticFiles pages_;
  Listener listener_;
};

}  // namespace warpbook::serve
