# Compiler flags. Two of them are part of the meaning of the program:
#  -ffp-contract=off  the virtual GPU decides itself which products are fused; the host compiler must not
#  -march=...         the interpreter's lane loops want 256-bit vectors and a hardware fma (std::fma without it is a slow library call)
include(CheckCXXSourceRuns)

add_library(warpbook_flags INTERFACE)
target_compile_options(warpbook_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -ffp-contract=off)
# GCC 12 sees an overlap in "literal" + std::string that is not there (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(warpbook_flags INTERFACE -Wno-restrict)
endif()
if(WARPBOOK_WERROR)
  target_compile_options(warpbook_flags INTERFACE -Werror)
endif()

if(NOT DEFINED WARPBOOK_MARCH)
  set(CMAKE_REQUIRED_FLAGS "-march=x86-64-v3")
  check_cxx_source_runs("#include <cmath>
    int main(int n, char**) { volatile double x = n; return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && std::fma(x, x, x) > 0 ? 0 : 1; }" WARPBOOK_HAS_V3)
  set(CMAKE_REQUIRED_FLAGS "")
  if(WARPBOOK_HAS_V3)
    set(WARPBOOK_MARCH "x86-64-v3" CACHE STRING "instruction set of the host")
  else()
    set(WARPBOOK_MARCH "" CACHE STRING "instruction set of the host (empty: the compiler's default)")
  endif()
endif()
if(WARPBOOK_MARCH)
  target_compile_options(warpbook_flags INTERFACE -march=${WARPBOOK_MARCH})
endif()

if(WARPBOOK_SANITIZE)
  target_compile_options(warpbook_flags INTERFACE -fsanitize=${WARPBOOK_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(warpbook_flags INTERFACE -fsanitize=${WARPBOOK_SANITIZE})
endif()

# ccache when it is there: a rebuild after `git switch` costs seconds.
find_program(WARPBOOK_CCACHE ccache)
if(WARPBOOK_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WARPBOOK_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${WARPBOOK_CCACHE})
endif()
