#pragma once
// Memory for the copies of the ceiling, as many times over as the tensors of the case, and the arguments that name it.
#include <cstdint>
#include <vector>

#include "judge/gpu/copies.hpp"
#include "judge/gpu/driver.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::gpu {

class CopySets {
 public:
  /// For copies that read and write `bytes` together, rounded up to what copies move; `count` of them apart from one another.
  static Result<CopySets> make(Driver& driver, std::uint64_t bytes, std::uint32_t count);

  /// A group for each kind, in the order of CopyKind: the group's number is the kind's.
  Result<std::vector<run::ArgumentSets>> arguments() const;
  std::uint32_t count() const { return count_; }

  /// Clears the destination of the first set, or says whether it holds what its source holds (its first and last megabyte).
  Status clear();
  Result<bool> holds_the_copy() const;

 private:
  explicit CopySets(Driver& driver) : driver_(&driver) {}
  Status fill();

  Driver* driver_;
  std::uint64_t bytes_ = 0;  ///< of one copy: read, and written
  std::uint64_t pitch_ = 0, from_ = 0, to_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace warpbook::gpu
