#include <cstdio>
#include <set>
#include <string_view>

#include "judge/cudart/abi.hpp"
#include "judge/cudart/call.hpp"
#include "judge/cudart/export.hpp"

namespace warpbook::cudart {
namespace {

/// Says it once per function; in judging too, since nobody else would.
int refuse(const char* name) {
  Call call(name);
  static std::set<std::string_view> named;
  if (named.insert(name).second) std::fprintf(stderr, "warpbook: %s is not supported on the virtual GPU\n", name);
  return call.finish({device::Code::kNotSupported, {}});
}

}  // namespace

// Whatever arguments a caller passes: by the C calling convention a function need not look at them.
#define WARPBOOK_UNSUPPORTED(name) \
  WARPBOOK_EXPORT int name() { return refuse(#name); }
#include "judge/cudart/unsupported.def"
#undef WARPBOOK_UNSUPPORTED

/// Arrays are refused, but their format is a plain value that headers build at will.
WARPBOOK_EXPORT abi::ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }

}  // namespace warpbook::cudart
