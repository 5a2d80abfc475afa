#include "judge/cudart/occupancy.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook;
using cudart::blocks_per_multiprocessor;

TEST_CASE("the scarcest resource decides how many blocks fit") {
  const device::Properties a100;
  device::FunctionInfo info;
  CHECK(blocks_per_multiprocessor(a100, info, 0, 256, 0) == 8);  // 2048 threads
  CHECK(blocks_per_multiprocessor(a100, info, 0, 32, 0) == 32);  // 32 blocks
  CHECK(blocks_per_multiprocessor(a100, info, 0, 33, 0) == 32);  // two warps each
  CHECK(blocks_per_multiprocessor(a100, info, 0, 1024, 0) == 2);
  info.registers = 64;
  CHECK(blocks_per_multiprocessor(a100, info, 0, 256, 0) == 4);  // 65536 / (64 * 256)
  info.registers = 255;
  CHECK(blocks_per_multiprocessor(a100, info, 0, 512, 0) == 0);  // 256 * 512 registers are not there
  info.registers = 32;
  info.static_shared = 40000;
  CHECK(blocks_per_multiprocessor(a100, info, 0, 32, 0) == 4);      // 167936 / (40064 + 1024)
  CHECK(blocks_per_multiprocessor(a100, info, 0, 32, 10000) == 0);  // 48 KB without the attribute
  CHECK(blocks_per_multiprocessor(a100, info, 120000, 32, 110000) == 1);
  info.max_threads_per_block = 128;
  CHECK(blocks_per_multiprocessor(a100, info, 0, 129, 0) == 0);
}
