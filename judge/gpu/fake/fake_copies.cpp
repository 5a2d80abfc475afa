// The copies of a GPU of paper. There is no bulk copy engine.
#include <cstdint>
#include <cstring>

extern "C" int warpbook_copy(void* const* arguments) {
  constexpr int kNothing = 0, kBulk = 6, kNotSupported = 801;
  const int which = *static_cast<const int*>(arguments[3]);
  if (which == kBulk) return kNotSupported;
  if (which != kNothing)
    std::memcpy(*static_cast<void**>(arguments[1]), *static_cast<void**>(arguments[0]), *static_cast<const std::uint64_t*>(arguments[2]));
  return 0;
}
