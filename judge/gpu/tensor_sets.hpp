#pragma once
// The tensors of a case many times over, for launches that are timed. Every set has addresses of its own; together they are several times
// the L2 cache, so that a launch finds none of its inputs there. Before each round they are dealt anew: each address gets other data than
// before, with a row of yet other data in it at a place drawn by lot, and outputs that were never written; and no round is so long that a
// set comes twice. So every launch of a round has all its work to do: a result that was kept from an earlier launch is the result of other
// inputs (to know by the content that it is not, all of it must be read), and a launch that does nothing leaves its outputs unwritten. The
// originals lie in memory that no worker can open.
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "judge/gpu/driver.hpp"
#include "judge/grade/case_data.hpp"
#include "judge/grade/result.hpp"
#include "judge/run/worker_protocol.hpp"

namespace warpbook::gpu {

/// How many sets of tensors there are, and how many of them have data of their own; the others repeat it.
struct SetCount {
  std::uint32_t sets = 0, own_data = 0;
};

/// How many sets for launches that move `bytes` each: as many as make launches cold on a GPU with this L2 cache, and as the longest round
/// of launches needs that are as fast as memory allows; but no more than fit into `room` bytes, unless coldness wants them.
SetCount sets_for(std::uint64_t bytes, std::uint64_t l2_bytes, std::uint64_t room, double round_seconds);

class TensorSets {
 public:
  /// Memory for the sets, filled from the seeds `seed`, `seed` + 1 ... `driver` must outlive it.
  static Result<std::unique_ptr<TensorSets>> make(Driver& driver, const task::Task& task, const task::Case& c, std::uint64_t seed,
                                                  SetCount count);

  std::uint32_t count() const { return count_.sets; }
  /// For the worker.
  Result<run::ArgumentSets> arguments();
  /// Deals all sets anew, beginning with `first`: set s gets the data of seed + (s + shift) % own_data. A round that begins with `first`
  /// then comes to each set when all others have been touched since. The `launched` sets from `first` on get a row of other data. Waits
  /// until it is done.
  Status deal(std::uint32_t shift, std::uint32_t first, std::uint32_t launched, std::mt19937_64& random);

  /// What is left of the pattern of unwritten outputs in a few rows of `set`: "y[17][0]"; empty: nothing.
  Result<std::string> unwritten_in(std::uint32_t set, std::mt19937_64& random);

  /// The memory of a set as it is now, to be judged later.
  struct Snapshot {
    std::uint64_t seed = 0;
    std::optional<grade::RowFrom> row_from;
    std::vector<std::string> names;  ///< of the tensors that have memory of their own
    std::vector<std::vector<std::byte>> memory;
  };
  Result<Snapshot> snapshot(std::uint32_t set);

 private:
  /// One tensor with memory of its own, in all sets.
  struct Memory {
    std::size_t tensor = 0;      ///< in example_.tensors
    std::uint64_t pitch = 0;     ///< bytes from set to set
    std::uint64_t shared = 0;    ///< address of what workers open
    std::uint64_t original = 0;  ///< address of what they do not
  };

  TensorSets(Driver& driver, SetCount count, std::uint64_t seed) : driver_(driver), count_(count), seed_(seed) {}
  Status allocate();
  Status mix(std::uint32_t set, std::mt19937_64& random);
  std::uint32_t data_of(std::uint32_t set) const { return (set + shift_) % count_.own_data; }
  Status fill(const task::Task& task, const task::Case& c);

  Driver& driver_;
  SetCount count_;
  std::uint64_t seed_;
  std::uint32_t shift_ = 0;
  grade::CaseData example_;  ///< of the first seed: shapes and places, which all sets share
  std::vector<Memory> memories_;
  std::vector<std::optional<grade::RowFrom>> rows_from_;  ///< of each set
};

/// The checks of `judge run` on a snapshot.
grade::CaseResult judge_snapshot(const task::Task& task, const task::Case& c, const TensorSets::Snapshot& snapshot);

}  // namespace warpbook::gpu
