#include "judge/serve/recordings.hpp"

#include <poll.h>

#include <algorithm>
#include <vector>

namespace warpbook::serve {

std::unique_ptr<Recordings::Turn> Recordings::join(std::int64_t person, const std::string& task, int most) {
  const std::lock_guard lock(mutex_);
  const auto own = std::count_if(queue_.begin(), queue_.end(), [&](const std::shared_ptr<Wish>& wish) { return wish->person == person; });
  if (queue_.size() > kMostWaiting || own >= most) return nullptr;
  auto wish = std::make_shared<Wish>();
  wish->person = person;
  wish->task = task;
  queue_.push_back(wish);
  return std::make_unique<Turn>(*this, std::move(wish));
}

int Recordings::cancel(std::int64_t person, const std::string& task) {
  const std::lock_guard lock(mutex_);
  int cancelled = 0;
  for (const std::shared_ptr<Wish>& wish : queue_)
    if (wish->person == person && wish->task == task && !wish->cancelled.exchange(true)) ++cancelled;
  changed_.notify_all();
  return cancelled;
}

Recordings::Turn::~Turn() {
  const std::lock_guard lock(of_.mutex_);
  of_.queue_.erase(std::find(of_.queue_.begin(), of_.queue_.end(), wish_));
  of_.changed_.notify_all();
}

bool Recordings::Turn::wait() {
  std::unique_lock lock(of_.mutex_);
  of_.changed_.wait(lock, [this] { return wish_->cancelled || of_.queue_.front() == wish_; });
  return !wish_->cancelled;
}

Result<std::optional<run::Outcome>> Recordings::Turn::run(const run::Command& command) {
  constexpr int kLook = 100;  // ms between two looks at whether it is still wanted
  Result<run::Child> child = run::Child::start(command);
  if (!child) return std::move(child).error();
  while (!child->poll()) {
    if (wish_->cancelled) return std::optional<run::Outcome>();  // the child goes with its Child
    std::vector<pollfd> watched;
    for (const int descriptor : child->descriptors()) watched.push_back({descriptor, POLLIN, 0});
    ::poll(watched.data(), watched.size(), kLook);
  }
  return std::optional<run::Outcome>(child->wait());
}

}  // namespace warpbook::serve
