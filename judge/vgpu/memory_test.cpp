#include "judge/vgpu/memory.hpp"

#include "judge/vgpu/meters.hpp"
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

TEST_CASE("allocations are never neighbours and addresses never come back") {
  Memory memory(1u << 20);
  const Region* first = memory.allocate(100, 0, "first", ptx::Space::kGlobal);
  const Address base = first->base;
  const Region* second = memory.allocate(100, 12, "second", ptx::Space::kGlobal);
  CHECK(second->base % kAllocationAlignment == 12);
  CHECK(second->base - first->end() > 1'000'000);
  CHECK(memory.find(base + 99)->name == "first");
  CHECK(memory.find(base + 100) == nullptr);
  REQUIRE(memory.release(base));
  CHECK_FALSE(memory.release(base));
  CHECK(memory.find(base) == nullptr);
  REQUIRE(memory.find_freed(base + 5) != nullptr);
  CHECK(memory.find_freed(base + 5)->name == "first");
  CHECK(memory.allocate(100, 0, "third", ptx::Space::kGlobal)->base > second->base);
}

TEST_CASE("capacity is kept, and given back") {
  Memory memory(1000);
  const Region* a = memory.allocate(600, 0, "", ptx::Space::kGlobal);
  REQUIRE(a != nullptr);
  CHECK(memory.allocate(401, 0, "", ptx::Space::kGlobal) == nullptr);
  CHECK(memory.allocate(400, 0, "", ptx::Space::kGlobal) != nullptr);
  CHECK(memory.used() == 1000);
  REQUIRE(memory.release(a->base));
  CHECK(memory.used() == 400);
}

TEST_CASE("shared memory has one address for host and kernels") {
  Memory memory(1u << 20);
  const Region* plain = memory.allocate(100, 0, "", ptx::Space::kGlobal);
  const Region* shared = memory.allocate_shared(100, "managed");
  REQUIRE(shared != nullptr);
  CHECK(reinterpret_cast<Address>(shared->data) == shared->base);
  CHECK(shared->base > plain->end());
  shared->data[99] = std::byte{7};
  CHECK(*reinterpret_cast<std::byte*>(shared->base + 99) == std::byte{7});
  CHECK(memory.find(shared->base + 99) == shared);
  CHECK(memory.used() == 200);
  CHECK(memory.allocate(100, 0, "", ptx::Space::kGlobal)->base > shared->end());
  CHECK(memory.release(shared->base));
}

TEST_CASE("host memory that is registered keeps its address and its owner") {
  Memory memory(1000);
  std::vector<std::byte> host(5000, std::byte{3});
  const auto base = reinterpret_cast<Address>(host.data());
  const Region* region = memory.share(host.data(), host.size());
  REQUIRE(region != nullptr);
  CHECK(memory.used() == 0);
  CHECK(memory.find(base + 4999) == region);
  CHECK(memory.share(host.data() + 10, 10) == nullptr);
  CHECK(memory.release(base));
  CHECK(memory.find(base) == nullptr);
  CHECK(host[4999] == std::byte{3});
  CHECK(memory.share(host.data() + 10, 10) != nullptr);
  CHECK(memory.find(base) == nullptr);
  CHECK(memory.allocate(1000, 0, "", ptx::Space::kGlobal)->base < base);
}

TEST_CASE("an allocation of no bytes has an address and can be freed once") {
  Memory memory(1000);
  const Region* none = memory.allocate(0, 0, "none", ptx::Space::kGlobal);
  REQUIRE(none != nullptr);
  const Address base = none->base;
  CHECK(memory.find(base) == nullptr);
  CHECK(memory.release(base));
  CHECK_FALSE(memory.release(base));
}

TEST_CASE("rows a billion floats apart cost only what is touched") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  device::Address address = 0;
  constexpr std::uint64_t kStride = std::uint64_t{4} << 30;
  REQUIRE(gpu.gpu->allocate(3 * kStride, address).ok());
  for (std::uint64_t row = 0; row < 3; ++row) REQUIRE(gpu.gpu->fill(address + row * kStride, 7, 4, 16).ok());
  CHECK(gpu.read<int>(address + 2 * kStride, 1)[0] == 7);
  CHECK(gpu.gpu->allocate(std::uint64_t{1} << 50, address).code == device::Code::kMemoryAllocation);
}

TEST_CASE("the host's copies are checked too") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  const device::Address a = gpu.buffer(std::vector<int>{1, 2, 3, 4});
  std::vector<int> values(5);
  CHECK(gpu.gpu->read(std::as_writable_bytes(std::span(values)), a).code == device::Code::kInvalidValue);
  CHECK(gpu.gpu->write(a - 4, std::as_bytes(std::span(values))).code == device::Code::kInvalidValue);
  CHECK(gpu.gpu->fill(a, 0xABCD, 2, 3).ok());
  CHECK(gpu.read<std::uint16_t>(a, 4) == std::vector<std::uint16_t>{0xABCD, 0xABCD, 0xABCD, 0});
  CHECK(gpu.gpu->fill(a, 0, 3, 1).code == device::Code::kInvalidValue);
  CHECK(gpu.gpu->copy(a + 4, a + 8, 8).ok());
  CHECK(gpu.read<int>(a, 4)[1] == 3);
  CHECK(gpu.gpu->free(a + 4).code == device::Code::kInvalidValue);
  CHECK(gpu.gpu->free(a).ok());
  CHECK(gpu.gpu->free(a).code == device::Code::kInvalidValue);
  CHECK(gpu.gpu->free(0).ok());
  CHECK(gpu.gpu->read(std::as_writable_bytes(std::span(values)), a).code == device::Code::kInvalidValue);
}

TEST_CASE("sectors are the distinct 32-byte pieces that active lanes touch") {
  const Step step;
  MemoryPlan plan;
  Access access{.step = step, .plan = plan};
  const auto sectors = [&](std::uint32_t bytes, LaneMask active, auto address) {
    access.bytes = bytes;
    access.active = active;
    for (int lane = 0; lane < kWarpSize; ++lane) access.address[lane] = 0x1000 + static_cast<Address>(address(lane));
    access.pattern = pattern_of(access);
    return count_sectors(access);
  };
  CHECK(sectors(4, kAllLanes, [](int lane) { return 4 * lane; }) == 4);          // g_coal
  CHECK(sectors(4, kAllLanes, [](int lane) { return 4 * lane + 4; }) == 5);      // g_off1
  CHECK(sectors(4, kAllLanes, [](int lane) { return 8 * lane; }) == 8);          // g_str2
  CHECK(sectors(4, kAllLanes, [](int lane) { return 32 * lane; }) == 32);        // g_str8
  CHECK(sectors(4, kAllLanes, [](int) { return 0; }) == 1);                      // g_bcast
  CHECK(sectors(4, kAllLanes, [](int lane) { return 4 * (31 - lane); }) == 4);   // g_rev
  CHECK(sectors(8, kAllLanes, [](int lane) { return 8 * lane; }) == 8);          // g_dbl
  CHECK(sectors(16, kAllLanes, [](int lane) { return 16 * lane; }) == 16);       // g_f4
  CHECK(sectors(16, kAllLanes, [](int) { return 0; }) == 1);                     // g_f4bcast
  CHECK(sectors(16, kAllLanes, [](int lane) { return 16 * (lane / 2); }) == 8);  // g_f4pair
  CHECK(sectors(1, kAllLanes, [](int lane) { return lane; }) == 1);              // g_u8
  CHECK(sectors(4, 0xFF, [](int lane) { return 4 * lane; }) == 1);               // g_8l
  CHECK(sectors(4, 0x80000001u, [](int lane) { return 4 * lane; }) == 2);
}

}  // namespace warpbook::vgpu::testing
