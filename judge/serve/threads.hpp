#pragma once
// Threads for connections, as many as there are connections at work. cpp-httplib keeps a thread for as long as a connection is open: for
// a stream of events that is hours, for an idle browser some seconds. A pool of fixed size is empty after the twentieth open tab. So a
// thread is made when none is free, up to a limit, and goes when it has had nothing to do for a while; and a thread that turned to a
// stream does not count against that limit any more, it has one of its own.
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace warpbook::serve {

struct ThreadLimits {
  int requests = 256;  ///< connections that are asking, idle or slow
  int streams = 256;   ///< open streams of events
};

class Threads : public std::enable_shared_from_this<Threads> {
 public:
  explicit Threads(ThreadLimits limits) : limits_(limits) {}

  void enqueue(std::function<void()> job);
  /// Takes no more jobs, drops those that wait, and returns when all threads have ended.
  void shutdown();

  /// While it lives, the calling thread counts as that of a stream. Null: there are too many streams.
  using StreamPlace = std::shared_ptr<void>;
  StreamPlace take_stream_place();

 private:
  void start_if_needed(std::unique_lock<std::mutex>& lock);
  void work();

  const ThreadLimits limits_;
  std::mutex mutex_;
  std::condition_variable something_, ended_;
  std::deque<std::function<void()>> jobs_;
  int threads_ = 0, free_ = 0, streams_ = 0;
  bool over_ = false;
};

}  // namespace warpbook::serve
