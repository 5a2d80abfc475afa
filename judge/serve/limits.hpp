#pragma once
// How much one person may ask for. Buckets: each holds so many tokens, one is taken for a request, and they come back at a steady rate; so
// a page that asks for ten things at once is served at once, and a loop that never ends is slowed to the rate. What is over is refused with
// the seconds until the next token, and nobody else notices.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "judge/serve/http.hpp"

namespace warpbook::serve {

struct BucketSize {
  double tokens = 1;      ///< most that are in it; so many at once
  double per_second = 1;  ///< come back
};

/// A bucket for each name. Names that are full again are forgotten, so that nobody fills the memory with names.
class Buckets {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Buckets(BucketSize size, std::function<Clock::time_point()> now = Clock::now) : size_(size), now_(std::move(now)) {}

  /// Takes a token; 0 when there was one, else the seconds (rounded up) until there is.
  int take(const std::string& name);
  /// Puts one back that was taken.
  void give_back(const std::string& name);
  /// The same as take, without taking it.
  int look(const std::string& name) const;

  std::size_t names() const;

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point filled;
  };
  double tokens_in(const Bucket& bucket, Clock::time_point now) const;
  int seconds_until_one(double tokens) const;
  void forget_full(Clock::time_point now);

  const BucketSize size_;
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
  std::size_t look_again_at_ = 1024;  ///< names
};

/// What is held for a while, as a stream is: so many places of each name at once.
class Places {
 public:
  explicit Places(int each) : held_(std::make_shared<Held>()) { held_->each = each; }

  /// One that is left when its last holder goes, also after this went. Null: the name has all of its own.
  std::shared_ptr<void> take(const std::string& name);

 private:
  struct Held {
    int each = 1;
    std::mutex mutex;
    std::map<std::string, int> by_name;  ///< of nobody without one
  };
  const std::shared_ptr<Held> held_;
};

/// Takes a token of `name`; when there is none, 429 that says what is allowed ("6 runs a minute") and when to try again.
std::optional<Answer> refuse_above(Buckets& buckets, const std::string& name, const std::string& code, const std::string& allowed);

}  // namespace warpbook::serve
