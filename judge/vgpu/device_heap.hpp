#pragma once
// What malloc and free of the device work on. Every allocation is a piece of device memory of its own, so an overrun or a stale pointer is
// found as it is for cudaMalloc. What a kernel leaves allocated stays for the next one.
#include <cstdint>
#include <map>
#include <string>

#include "judge/vgpu/memory.hpp"

namespace warpbook::vgpu {

class DeviceHeap {
 public:
  /// `limit`: bytes that may be live at once (cudaLimitMallocHeapSize). `watched`: whether somebody asks which bytes are written.
  DeviceHeap(Memory& memory, std::uint64_t limit, bool watched) : memory_(memory), limit_(limit), watched_(watched) {}

  /// Memory that nobody has written; 0 when the heap is full or nothing is asked for.
  Address allocate(std::uint64_t bytes);
  /// Nothing, or what is wrong with freeing `address`. Freeing null is nothing.
  std::string free(Address address);

  std::uint64_t used() const { return used_; }
  void set_limit(std::uint64_t limit) { limit_ = limit; }

 private:
  Memory& memory_;
  std::uint64_t limit_;
  bool watched_;
  std::uint64_t used_ = 0;
  std::map<Address, std::uint64_t> live_;  ///< what each takes of the limit
};

}  // namespace warpbook::vgpu
