#include "judge/run/own_limits.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace warpbook::run {
namespace {

/// Lowers a limit; one that is lower already stays, since only root could raise it.
bool limit(int what, rlim_t soft, rlim_t hard) {
  const auto resource = static_cast<__rlimit_resource_t>(what);
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return false;
  const rlim_t most = std::min(hard, now.rlim_max);
  const rlimit wanted{std::min(soft, most), most};
  return ::setrlimit(resource, &wanted) == 0;
}

}  // namespace

bool set_own_limits(const Limits& limits) {
  bool good = limit(RLIMIT_CORE, 0, 0);
  if (limits.cpu.count() > 0) {
    // One more second until the hard limit: SIGXCPU tells this ending from others, SIGKILL comes for those who ignore it.
    const auto seconds = static_cast<rlim_t>((limits.cpu.count() + 999) / 1000);
    good = limit(RLIMIT_CPU, seconds, seconds + 1) && good;
  }
  if (limits.memory > 0) good = limit(RLIMIT_AS, limits.memory, limits.memory) && good;
  if (limits.file_size > 0) good = limit(RLIMIT_FSIZE, limits.file_size, limits.file_size) && good;
  return good;
}

}  // namespace warpbook::run
