#pragma once
// Finds uses of values that nobody computed: memory that nobody has written, variables that are not set on every path.
//
// Reading such a value is not yet a mistake: a tail of a vector, the padding of a struct, a lane that will not be asked. So it is followed
// (taint.hpp) and reported where it matters: when it decides a branch, is part of an address, leaves for global memory, or goes to other
// lanes. Two exceptions keep correct programs quiet. A global store is reported only when all bytes of an element are undefined; an
// element that is partly defined is a copied struct, and its holes travel along. And a lane may bring an unset variable to a shuffle (CUB
// does, for lanes past the end of a row); it is reported once it comes out somewhere. What was read from memory is reported at the
// shuffle.
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "judge/vgpu/access.hpp"
#include "judge/vgpu/exchange.hpp"
#include "judge/vgpu/watch/actor.hpp"
#include "judge/vgpu/watch/defined_bytes.hpp"
#include "judge/vgpu/watch/taint.hpp"

namespace warpbook::vgpu {

/// How the bytes of an access lie in a DefinedBytes: lane's position = address - base + lane * stride.
struct Shadow {
  DefinedBytes* bytes = nullptr;  ///< null: memory that counts as written
  Address base = 0;
  std::uint64_t stride = 0;  ///< 0: all lanes see the same memory
  bool untracked() const { return bytes == nullptr; }
  bool complete() const { return bytes == nullptr || bytes->complete(); }
};

class InitWatch {
 public:
  explicit InitWatch(LaunchContext& context) : context_(context) {}

  /// A checked access of `lanes` before its bytes move; false: the launch ends. Loads: the registers learn what they get. Stores: the
  /// memory does.
  bool access(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow) {
    if (access.plan.atomic != nullptr) return atomic(actor, access, lanes, shadow);
    return access.writes ? store(actor, access, lanes, shadow) : load(actor, access, lanes, shadow);
  }
  /// Bytes of cp.async: what was defined at the source is defined at the target.
  void copied(const Shadow& to, Address to_address, const Shadow& from, Address from_address, std::uint32_t bytes);

  /// Where an undefined argument or result of a call came from.
  std::uint32_t origin_of_argument(const Frame& frame);

  /// The registers of a function that some path leaves unset start undefined.
  void enter(const Frame& frame);

  // Only for frames whose taint is not empty; `active`: lanes whose guard holds, `mask`: all lanes of the split.
  /// What must be defined for this step: the guard of a branch, an address, a mask, a barrier's number. False: the launch ends.
  bool uses(const Actor& actor, LaneMask active, LaneMask mask);
  /// The step is arithmetic: its results are as undefined as what they were made from.
  void flow(const Frame& frame, const Step& step, LaneMask active);

  /// Lanes exchange values; called before they do. False: the launch ends.
  bool exchange(const Actor& actor, std::span<const Participant> participants, LaneMask present);

 private:
  struct Origin {
    bool memory = false, shared = false;
    std::string what;  ///< "x at byte 128, which nobody had written"
    std::string question;  ///< leads to the reason: "which thread should have written it ...?"
    std::string space;
    Address address = 0;
    std::uint32_t bytes = 0;
    device::Related related;
  };

  bool load(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow);
  bool store(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow);
  bool atomic(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow);
  bool all_defined(const Access& access, LaneMask lanes, const Shadow& shadow) const;
  bool load_undefined(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow);
  bool store_undefined(const Actor& actor, const Access& access, LaneMask lanes, const Shadow& shadow);
  void mark(const Access& access, LaneMask lanes, const Shadow& shadow) const;
  bool use(const Actor& actor, std::uint32_t offset, LaneMask lanes, std::string_view what);
  bool report(const Actor& actor, const Taint::Row& row, LaneMask lanes, std::string_view what);
  bool report(const Actor& actor, std::uint32_t origin, LaneMask lanes, std::string_view what);
  std::uint32_t origin_of_read(const Actor& actor, const Access& access, int lane);

  LaunchContext& context_;
  std::vector<Origin> origins_;
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> known_origins_;  ///< (site or register offset, from memory) -> index
};

}  // namespace warpbook::vgpu
