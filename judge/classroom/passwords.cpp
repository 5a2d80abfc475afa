#include "judge/classroom/passwords.hpp"

#include <sodium.h>

#include <array>
#include <chrono>
#include <semaphore>

#include "judge/classroom/secrets.hpp"

namespace warpbook::classroom {
namespace {

constexpr int kAtOnce = 2;
constexpr std::chrono::seconds kPatience{20};

std::counting_semaphore<kAtOnce>& turns() {
  static std::counting_semaphore<kAtOnce> semaphore(kAtOnce);
  return semaphore;
}

class Turn {
 public:
  Turn() : taken_(turns().try_acquire_for(kPatience)) {}
  ~Turn() {
    if (taken_) turns().release();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  explicit operator bool() const { return taken_; }

 private:
  bool taken_;
};

Error too_many() { return Error{"too many people sign in at this moment; try again in a minute"}; }

Result<std::string> hash_now(const std::string& password) {
  if (sodium_init() < 0) return Error{"libsodium cannot be used on this machine"};
  std::array<char, crypto_pwhash_STRBYTES> text{};
  if (crypto_pwhash_str(text.data(), password.data(), password.size(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                        crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0)
    return Error{"there is not enough memory to compute a password's hash (64 MiB)"};
  return std::string(text.data());
}

}  // namespace

Result<std::string> password_hash(const std::string& password) {
  const Turn turn;
  if (!turn) return too_many();
  return hash_now(password);
}

Result<bool> password_fits(const std::string& hash, const std::string& password) {
  const Turn turn;
  if (!turn) return too_many();
  // Made before it is known whose hash is wanted, so that whoever comes first cannot tell either.
  static const Result<std::string> nobodys = hash_now(fresh_token());
  if (!nobodys) return nobodys.error();
  const std::string& compared = hash.empty() ? *nobodys : hash;
  const bool fits = crypto_pwhash_str_verify(compared.c_str(), password.data(), password.size()) == 0;
  return fits && !hash.empty();
}

}  // namespace warpbook::classroom
