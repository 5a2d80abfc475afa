#pragma once
// Who touched each byte of a piece of memory last: its latest write and up to two reads since.
//
// Two reads, because one would hide races: when threads A and B have read a word and B writes it, the read that counts is A's. The two are
// kept as different as can be (of two blocks rather than one, of two warps rather than one), so that whoever writes next finds one that is
// not their own. Cells stand for words of four bytes; a page in which somebody touches less than a word gets cells of two bytes or one.
// Pages are made when they are first touched, and their parts when they are first needed: memory that is only written costs two bytes a
// byte, memory that is read and written four, six where several threads read the same words.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/vgpu/region.hpp"
#include "judge/vgpu/watch/race_stamp.hpp"

namespace warpbook::vgpu {

inline constexpr int kRacePageBits = 12;  ///< bytes of memory that a page is about: 4,096
inline constexpr Address kRacePageBytes = Address{1} << kRacePageBits;
inline constexpr int kWordShift = 2;

/// One stamp for each cell of a page, times and actors apart so that loops over them are vectors.
class RaceCells {
 public:
  explicit operator bool() const { return data_ != nullptr; }
  RaceTime* times() const { return data_.get(); }
  RaceActor* actors() const { return data_.get() + count_; }
  RaceStamp at(std::size_t cell) const { return data_ == nullptr ? RaceStamp{} : RaceStamp{times()[cell], actors()[cell]}; }
  void set(std::size_t cell, RaceStamp stamp) const {
    times()[cell] = stamp.time;
    actors()[cell] = stamp.who;
  }
  void make(std::size_t count);
  void forget();                   ///< all times 0
  void refine(std::size_t count);  ///< to `count` cells, each as the one that it is a part of

 private:
  std::unique_ptr<std::uint32_t[]> data_;
  std::size_t count_ = 0;
};

struct RacePage {
  std::uint64_t launch = 0;  ///< that its cells are about
  int shift = kWordShift;    ///< bytes of a cell: 1 << shift
  RaceCells writes, reads, others;

  std::size_t cells() const { return std::size_t{kRacePageBytes} >> shift; }
  RaceCells& made(RaceCells& which) const {
    if (!which) which.make(cells());
    return which;
  }
  void refine(int to);
  void forget();
};

class RaceShadow {
 public:
  /// About [base, base + bytes).
  RaceShadow(Address base, std::uint64_t bytes);
  /// The page that `address` lies in, empty when `launch` has not touched it yet.
  RacePage& page(Address address, std::uint64_t launch) {
    const std::uint64_t number = (address >> kRacePageBits) - first_;
    std::unique_ptr<Group>& group = groups_[number / kGroupPages];
    if (group == nullptr) group = std::make_unique<Group>();
    RacePage& page = (*group)[number % kGroupPages];
    if (page.launch != launch) {
      page.forget();
      page.launch = launch;
    }
    return page;
  }

 private:
  /// Allocations may be far longer than what is touched of them, so not even the list of pages is made in one piece.
  static constexpr std::size_t kGroupPages = 64;
  using Group = std::array<RacePage, kGroupPages>;
  std::uint64_t first_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace warpbook::vgpu
