// What a trace shows by name. Optimised code carries line numbers but no variable names, and a debug build is other code: no registers
// kept, no loop unrolled. WATCH(m) lets optimised code speak: in a trace build (`judge trace`) it becomes an assembly comment that names the
// register which holds m at that place, and nothing else; in every other build it produces no code. A comment costs no instruction, but
// the compiler must have the value of m there, so it belongs behind the last assignment that matters (in a loop: at the end of its body).
//
// It takes a variable, a member or an element (`WATCH(mine.x)`, `WATCH(held[i])`) of a number or pointer type; of a struct, watch members.
#pragma once

#ifdef WARPBOOK_TRACE
#include <type_traits>

struct __half;
struct __nv_bfloat16;

namespace warpbook::watch {

/// In which way a type stands in a register: the word the trace reads.
enum class Kind { kF32, kF64, kF16, kBF16, kS32, kU32, kS64, kU64, kNone };

template <class T>
__host__ __device__ constexpr Kind kind_of() {
  if (std::is_same_v<T, float>) return Kind::kF32;
  if (std::is_same_v<T, double>) return Kind::kF64;
  if (std::is_same_v<T, __half>) return Kind::kF16;
  if (std::is_same_v<T, __nv_bfloat16>) return Kind::kBF16;
  if (std::is_pointer_v<T>) return Kind::kU64;
  if (!std::is_integral_v<T> && !std::is_enum_v<T>) return Kind::kNone;
  const bool negative = std::is_signed_v<T> || std::is_enum_v<T>;
  if (sizeof(T) == sizeof(long long)) return negative ? Kind::kS64 : Kind::kU64;
  return negative ? Kind::kS32 : Kind::kU32;
}

/// `value` as what an assembly operand of type To holds. Never called for pairs that the macro's branches leave out.
template <class To, class From>
__device__ __forceinline__ To as(const From& value) {
  if constexpr (std::is_pointer_v<From>) {
    return static_cast<To>(reinterpret_cast<unsigned long long>(value));
  } else if constexpr (std::is_class_v<From>) {
    return static_cast<To>(*reinterpret_cast<const unsigned short*>(&value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace warpbook::watch

#define WARPBOOK_WATCH_AS(kind, word, constraint, type, variable)                 \
  if constexpr (::warpbook::watch::kind_of<WarpbookWatched>() == (kind)) {        \
    asm volatile("// warpbook.watch " word " " #variable " = %0" ::constraint(    \
        ::warpbook::watch::as<type, WarpbookWatched>(variable)));                 \
  }
#define WATCH(variable)                                                                                                  \
  do {                                                                                                                   \
    using ::warpbook::watch::Kind;                                                                                       \
    using WarpbookWatched = std::decay_t<decltype(variable)>;                                                            \
    static_assert(::warpbook::watch::kind_of<WarpbookWatched>() != Kind::kNone,                                          \
                  "WATCH takes a number or a pointer; of a struct, watch the members");                                  \
    WARPBOOK_WATCH_AS(Kind::kF32, "f32", "f", float, variable)                                                           \
    WARPBOOK_WATCH_AS(Kind::kF64, "f64", "d", double, variable)                                                          \
    WARPBOOK_WATCH_AS(Kind::kF16, "f16", "h", unsigned short, variable)                                                  \
    WARPBOOK_WATCH_AS(Kind::kBF16, "bf16", "h", unsigned short, variable)                                                \
    WARPBOOK_WATCH_AS(Kind::kS32, "s32", "r", int, variable)                                                             \
    WARPBOOK_WATCH_AS(Kind::kU32, "u32", "r", unsigned, variable)                                                        \
    WARPBOOK_WATCH_AS(Kind::kS64, "s64", "l", long long, variable)                                                       \
    WARPBOOK_WATCH_AS(Kind::kU64, "u64", "l", unsigned long long, variable)                                              \
  } while (false)
#else
#define WATCH(variable) static_cast<void>(variable)
#endif
