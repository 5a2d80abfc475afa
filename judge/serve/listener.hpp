#pragma once
// HTTP on a socket: the one file that knows cpp-httplib. What it reads becomes a Request, what comes back is written.
#include <functional>
#include <memory>
#include <string>

#include "judge/serve/http.hpp"
#include "judge/serve/threads.hpp"

namespace warpbook::serve {

struct ListenerOptions {
  std::string address = "127.0.0.1";
  int port = 0;  ///< 0: any
  ThreadLimits threads;
};

class Listener {
 public:
  /// `handler` is called by many threads at once and answers everything, unknown paths among it.
  Listener(ListenerOptions options, Handler handler);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Binds; the port it got. The error says that the port is taken.
  Result<int> bind();
  /// Serves until stop(); returns when every connection has ended.
  void run();
  /// From any thread. Open streams end at their next look (a second), idle connections and half-sent requests at once.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpbook::serve
