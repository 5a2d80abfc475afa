# Compiler flags. One of them is part of the meaning of the program:
#  -ffp-contract=off  the virtual GPU decides itself which products are fused; the host compiler must not
# Everything is built for the compiler's default processor. Only the virtual GPU, whose lane loops want 256-bit vectors and a hardware fma,
# is built a second time for WARPBOOK_WIDE_MARCH, and the dynamic linker picks at run time (judge/vgpu/CMakeLists.txt).
include(CheckCXXCompilerFlag)

add_library(warpbook_flags INTERFACE)
target_compile_options(warpbook_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -ffp-contract=off)
# GCC 12 sees an overlap in "literal" + std::string that is not there (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(warpbook_flags INTERFACE -Wno-restrict)
endif()
if(WARPBOOK_WERROR)
  target_compile_options(warpbook_flags INTERFACE -Werror)
endif()

check_cxx_compiler_flag(-march=x86-64-v3 WARPBOOK_HAS_WIDE)
if(WARPBOOK_HAS_WIDE)
  set(WARPBOOK_WIDE_MARCH "x86-64-v3" CACHE STRING "the second instruction set that the virtual GPU is built for (empty: none)")
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
