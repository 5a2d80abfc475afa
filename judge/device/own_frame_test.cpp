#include "judge/device/own_frame.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::device;

TEST_CASE("headers of the toolkit are told by their folder or their name") {
  for (const char* path :
       {"/usr/local/cuda/bin/../targets/x86_64-linux/include/device_atomic_functions.hpp",
        "/opt/cuda-12.4/include/cooperative_groups/reduce.h", "/home/a/.venv/lib/python3/site-packages/nvidia/cu13/include/cub/x.cuh",
        "/usr/include/c++/12/cmath", "sm_30_intrinsics.hpp", "cooperative_groups.h"}) {
    INFO(path);
    CHECK(is_toolkit_file(path));
  }
  for (const char* path : {"/home/a/cuda/softmax.cu", "kernel.cu", "/home/a/project/include/rows.cuh", "my_functions.hpp", ""}) {
    INFO(path);
    CHECK_FALSE(is_toolkit_file(path));
  }
}

TEST_CASE("the place to show is the line that called the header") {
  const Frame header{"/usr/local/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp", "__syncwarp", 98, 3}, own{"a.cu", "k", 7, 1},
      outer{"main.cu", "main_kernel", 3, 1};
  CHECK(own_frame({header, own, outer})->line == 7);
  CHECK(own_frame({own, header})->line == 7);
  CHECK(own_frame({header})->line == 98);
  CHECK(own_frame({}) == nullptr);
}
