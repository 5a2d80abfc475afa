#include "judge/serve/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbook::serve {

double Buckets::tokens_in(const Bucket& bucket, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  return std::min(size_.tokens, bucket.tokens + seconds * size_.per_second);
}

int Buckets::seconds_until_one(double tokens) const {
  return tokens >= 1 ? 0 : std::max(1, static_cast<int>(std::ceil((1 - tokens) / size_.per_second)));
}

int Buckets::take(const std::string& name) {
  const Clock::time_point now = now_();
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= look_again_at_) forget_full(now);
  Bucket& bucket = buckets_.try_emplace(name, Bucket{size_.tokens, now}).first->second;
  bucket.tokens = tokens_in(bucket, now);
  bucket.filled = now;
  if (bucket.tokens < 1) return seconds_until_one(bucket.tokens);
  bucket.tokens -= 1;
  return 0;
}

void Buckets::give_back(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(name);
  if (found != buckets_.end()) found->second.tokens = std::min(size_.tokens, found->second.tokens + 1);
}

int Buckets::look(const std::string& name) const {
  const Clock::time_point now = now_();
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(name);
  return found == buckets_.end() ? 0 : seconds_until_one(tokens_in(found->second, now));
}

std::size_t Buckets::names() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

void Buckets::forget_full(Clock::time_point now) {
  for (auto bucket = buckets_.begin(); bucket != buckets_.end();)
    bucket = tokens_in(bucket->second, now) >= size_.tokens ? buckets_.erase(bucket) : std::next(bucket);
  look_again_at_ = std::max<std::size_t>(1024, 2 * buckets_.size());
}

std::shared_ptr<void> Places::take(const std::string& name) {
  const std::lock_guard lock(held_->mutex);
  int& taken = held_->by_name[name];
  if (taken >= held_->each) return nullptr;
  ++taken;
  return std::shared_ptr<void>(held_.get(), [held = held_, name](void*) {
    const std::lock_guard again(held->mutex);
    const auto mine = held->by_name.find(name);
    if (--mine->second == 0) held->by_name.erase(mine);
  });
}

std::optional<Answer> refuse_above(Buckets& buckets, const std::string& name, const std::string& code, const std::string& allowed) {
  const int seconds = buckets.take(name);
  if (seconds == 0) return std::nullopt;
  return try_again(429, code, fmt::format("at most {} are allowed, and you have had them; try again in {} s", allowed, seconds), seconds);
}

}  // namespace warpbook::serve
