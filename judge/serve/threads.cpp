#include "judge/serve/threads.hpp"

#include <chrono>
#include <system_error>
#include <thread>

namespace warpbook::serve {
namespace {
constexpr std::chrono::seconds kIdleUntilEnd{10};
}

void Threads::enqueue(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  if (over_) return;
  jobs_.push_back(std::move(job));
  start_if_needed(lock);
  something_.notify_one();
}

void Threads::start_if_needed(std::unique_lock<std::mutex>&) {
  if (static_cast<int>(jobs_.size()) <= free_ || threads_ - streams_ >= limits_.requests) return;
  try {
    std::thread([self = shared_from_this()] { self->work(); }).detach();
    ++threads_;
  } catch (const std::system_error&) {
    // No more threads on this machine: whoever is free next takes the job.
  }
}

void Threads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++free_;
    something_.wait_for(lock, kIdleUntilEnd, [&] { return over_ || !jobs_.empty(); });
    --free_;
    if (over_ || jobs_.empty()) break;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
  --threads_;
  ended_.notify_all();
}

void Threads::shutdown() {
  std::unique_lock lock(mutex_);
  over_ = true;
  jobs_.clear();
  something_.notify_all();
  ended_.wait(lock, [&] { return threads_ == 0; });
}

Threads::StreamPlace Threads::take_stream_place() {
  std::unique_lock lock(mutex_);
  if (over_ || streams_ >= limits_.streams) return nullptr;
  ++streams_;
  start_if_needed(lock);
  return StreamPlace(this, [self = shared_from_this()](void*) {
    const std::lock_guard again(self->mutex_);
    --self->streams_;
  });
}

}  // namespace warpbook::serve
