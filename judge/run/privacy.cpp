#include "judge/run/privacy.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace warpbook::run {

void hide_own_memory() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void give_up_looking() {
  // Out of the bounding set, or a program started by root would have it again.
  ::prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return;
  constexpr std::uint32_t kKept = ~(std::uint32_t{1} << CAP_SYS_PTRACE);
  data[0].effective &= kKept;
  data[0].permitted &= kKept;
  data[0].inheritable &= kKept;
  ::syscall(SYS_capset, &header, data);
}

}  // namespace warpbook::run
