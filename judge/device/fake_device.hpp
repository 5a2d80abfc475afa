#pragma once
// A device for tests: memory is host memory, kernels are C++ functions that the test gives, every launch is written down.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::device {

class FakeDevice : public Device {
 public:
  struct Kernel {
    FunctionInfo info;
    std::function<void(FakeDevice&, const Launch&)> body;
  };

  std::map<std::string, Kernel> kernels;
  std::map<std::string, std::vector<std::byte>> variables;  ///< allocated when first asked for
  std::vector<Launch> launches;
  std::vector<std::string> modules;
  Code sticky = Code::kSuccess;
  std::string output;

  Properties properties() override { return shown; }
  Answer load_module(std::string_view ptx, std::uint64_t& module) override {
    modules.emplace_back(ptx);
    module = modules.size();
    return {};
  }
  Answer unload_module(std::uint64_t module) override {
    return module >= 1 && module <= modules.size() ? Answer{} : Answer{Code::kInvalidResourceHandle, "no such module"};
  }
  Answer function_info(std::uint64_t, std::string_view name, FunctionInfo& info) override {
    const auto at = kernels.find(std::string(name));
    if (at == kernels.end()) return {Code::kInvalidDeviceFunction, "no kernel of this name"};
    info = at->second.info;
    return {};
  }
  Answer find_variable(std::uint64_t, std::string_view name, Address& address, std::uint64_t& bytes) override {
    const auto at = variables.find(std::string(name));
    if (at == variables.end()) return {Code::kInvalidSymbol, "no variable of this name"};
    bytes = at->second.size();
    if (!placed_.contains(at->first)) {
      if (const Answer made = allocate(bytes, placed_[at->first]); !made.ok()) return made;
      std::memcpy(memory_[placed_[at->first]].data(), at->second.data(), bytes);
    }
    address = placed_[at->first];
    return {};
  }
  Answer allocate(std::uint64_t bytes, Address& address) override {
    if (sticky != Code::kSuccess) return {sticky, "the device is broken"};
    if (bytes > kLargest) return {Code::kMemoryAllocation, "more than the test device has"};
    address = next_;
    next_ += (bytes + 2 * kGap) / kGap * kGap;
    memory_[address].resize(static_cast<std::size_t>(bytes));
    return {};
  }
  Answer free(Address address) override {
    return memory_.erase(address) ? Answer{} : Answer{Code::kInvalidValue, "nothing was allocated there"};
  }
  Answer find_allocation(Address address, Address& base, std::uint64_t& bytes) override {
    auto at = memory_.upper_bound(address);
    if (at == memory_.begin()) return {Code::kInvalidDevicePointer, "in no allocation"};
    --at;
    if (address - at->first >= at->second.size()) return {Code::kInvalidDevicePointer, "in no allocation"};
    base = at->first;
    bytes = at->second.size();
    return {};
  }
  Answer memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override {
    free_bytes = kLargest / 2;
    total_bytes = kLargest;
    return {};
  }
  Answer write(Address to, std::span<const std::byte> from) override {
    std::byte* place = range(to, from.size());
    if (!place) return {Code::kInvalidValue, "outside of every allocation"};
    std::copy(from.begin(), from.end(), place);
    return {};
  }
  Answer read(std::span<std::byte> to, Address from) override {
    const std::byte* place = range(from, to.size());
    if (!place) return {Code::kInvalidValue, "outside of every allocation"};
    std::copy(place, place + to.size(), to.begin());
    return {};
  }
  Answer copy(Address to, Address from, std::uint64_t bytes) override {
    const std::byte* source = range(from, bytes);
    std::byte* place = range(to, bytes);
    if (!source || !place) return {Code::kInvalidValue, "outside of every allocation"};
    std::memmove(place, source, static_cast<std::size_t>(bytes));
    return {};
  }
  Answer fill(Address to, std::uint32_t value, int width, std::uint64_t count) override {
    if (count > kLargest) return {Code::kInvalidValue, "outside of every allocation"};
    std::byte* place = range(to, count * static_cast<unsigned>(width));
    if (!place) return {Code::kInvalidValue, "outside of every allocation"};
    for (std::uint64_t i = 0; i < count; ++i)
      std::memcpy(place + i * static_cast<unsigned>(width), &value, static_cast<std::size_t>(width));
    return {};
  }
  Answer launch(const Launch& order) override {
    if (sticky != Code::kSuccess) return {sticky, "the device is broken"};
    if (order.grid.count() == 0 || order.block.count() == 0) return {Code::kInvalidConfiguration, "the grid is empty"};
    launches.push_back(order);
    const auto at = kernels.find(order.function);
    if (at != kernels.end() && at->second.body) at->second.body(*this, order);
    return {};
  }
  Answer synchronize() override { return sticky == Code::kSuccess ? Answer{} : Answer{sticky, "the device is broken"}; }
  std::string take_output() override { return std::exchange(output, {}); }

  Properties shown;

  /// Where the bytes of a range are; null when they are not all in one allocation.
  std::byte* range(Address at, std::uint64_t bytes) {
    Address base = 0;
    std::uint64_t size = 0;
    if (!find_allocation(at, base, size).ok() || bytes > size - (at - base)) return nullptr;
    return memory_[base].data() + (at - base);
  }

 private:
  static constexpr std::uint64_t kLargest = std::uint64_t{64} << 20, kGap = 256;
  std::map<Address, std::vector<std::byte>> memory_;
  std::map<std::string, Address> placed_;
  Address next_ = Address{1} << 40;
};

}  // namespace warpbook::device
