#include "judge/grade/host_computed.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::grade;

namespace {

constexpr std::uint64_t kBytes = 8192;

TensorUse input_of(std::uint64_t loaded, std::uint64_t fetched, std::uint64_t bytes = kBytes) {
  TensorUse x;
  x.name = "x";
  x.bytes = bytes;
  x.input_matrix = true;
  x.by_kernels = warpbook::device::Traffic{loaded, 0};
  x.fetched = fetched;
  return x;
}

TensorUse output_of(std::uint64_t stored, std::uint64_t bytes = kBytes) {
  TensorUse y;
  y.name = "y";
  y.bytes = bytes;
  y.output = true;
  y.by_kernels = warpbook::device::Traffic{0, stored};
  return y;
}

}  // namespace

TEST_CASE("host computed: an output that no kernel wrote, after as many bytes came from the host") {
  CHECK(host_computed({input_of(0, kBytes), output_of(0)}, kBytes).find("no kernel wrote y") == 0);
  CHECK(host_computed({input_of(kBytes, 0), output_of(0)}, kBytes - 1).empty());  // cudaMemset, say, or a copy on the device
}

TEST_CASE("host computed: an input that no kernel read") {
  CHECK(host_computed({input_of(0, kBytes), output_of(kBytes)}, kBytes).find("no kernel read x") == 0);
  CHECK(host_computed({input_of(0, 0), output_of(kBytes)}, 0).empty());  // copied on the device, and read from there
  CHECK(host_computed({input_of(0, 0), input_of(4, 0), output_of(kBytes)}, kBytes).empty());
}

TEST_CASE("host computed: all of the input went to the host, and as many bytes as the answer has came back") {
  CHECK(host_computed({input_of(kBytes, kBytes), output_of(kBytes)}, kBytes).find("the host fetched all of x") == 0);
  CHECK(host_computed({input_of(kBytes, kBytes - 1), output_of(kBytes)}, kBytes).empty());
  CHECK(host_computed({input_of(kBytes, kBytes), output_of(kBytes)}, kBytes - 1).empty());  // it looks, and sends a table
}

TEST_CASE("host computed: a small input printed beside a few constants sent is nobody's trick") {
  CHECK(host_computed({input_of(12, 12, 12), output_of(12, 12)}, 64).empty());
}

TEST_CASE("host computed: a device that does not count says nothing") {
  TensorUse x = input_of(0, 0), y = output_of(0);
  x.by_kernels = y.by_kernels = std::nullopt;
  CHECK(host_computed({x, y}, kBytes).empty());
}
