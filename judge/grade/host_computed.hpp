#pragma once
// Right values that the host computed: fetched, worked out there, sent back. The device sees every byte that crosses and every byte that
// kernels ask for, and says so; what is inferred from that is here.
//
// Nothing is held against a program that only looks (fetching an input to print it) or only sends (a table of constants): it takes both,
// or values without a kernel that could have computed them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::grade {

/// A tensor of a case and who touched it.
struct TensorUse {
  std::string name;
  std::uint64_t bytes = 0;  ///< of its elements
  bool output = false, input_matrix = false;
  std::optional<device::Traffic> by_kernels;  ///< nothing: the device does not count
  std::uint64_t fetched = 0;                  ///< bytes that went to the host
};

/// Why the values must have come from the host, which sent `sent` bytes in all; empty where kernels may have computed them. Meant for
/// outputs that are right: of wrong ones it says nothing.
std::string host_computed(const std::vector<TensorUse>& tensors, std::uint64_t sent);

}  // namespace warpbook::grade
