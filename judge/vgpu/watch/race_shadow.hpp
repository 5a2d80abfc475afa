#pragma once
// Who touched each byte of a piece of memory last: its latest write and up to two reads since.
//
// Two reads, because one would hide races: when threads A and B have read a word and B writes it, the read that counts is A's. The two are
// kept as different as can be (of two blocks rather than one, of two warps rather than one), so that whoever writes next finds one that is
// not their own.
//
// A stamp has eight bytes, and three of them for each byte of memory would be 24. But what touches a piece of 512 bytes is a handful of
// instructions at a handful of times, and only the thread differs from cell to cell. So a page lists those events once, and a cell holds a
// mark of two bytes: the event's number in the page, and the thread. Cells stand for words of four bytes; a page in which somebody touches
// less than a word gets cells of two bytes or one. Parts of a page are made when they are first needed. In bytes of shadow for a byte of
// memory: 0.8 where words are only written, 2.7 at most for words, 4.2 for halves of words, 7.2 for bytes.
//
// Its cost: a page knows 63 events. Who brings the 64th makes it forget the oldest (of a vector into which each block puts one word, the
// words of blocks long gone). (Rejected: a stamp for each sector, with finer ones where a warp does not cover it whole. Rows of odd length
// cut every second sector, and elements of one byte still need 24 bytes of shadow there.)
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/vgpu/region.hpp"
#include "judge/vgpu/watch/race_stamp.hpp"

namespace warpbook::vgpu {

inline constexpr int kRacePageBits = 9;  ///< bytes of memory that a page is about: 512
inline constexpr Address kRacePageBytes = Address{1} << kRacePageBits;
inline constexpr int kWordShift = 2;

/// What a cell holds: the number of an event of its page, and the thread's number in its block. 0: nobody.
using RaceMark = std::uint16_t;
inline constexpr int kRaceMarkShift = 10;  ///< of the event
inline constexpr RaceMark kRaceMarkThread = (1u << kRaceMarkShift) - 1;
inline constexpr int kRaceEvents = 64;  ///< of a page; number 0 means nobody

/// What a cell is about.
enum RaceKind : std::uint8_t { kRaceWrites, kRaceReads, kRaceOthers, kRaceKinds };

class RacePage {
 public:
  RacePage() = default;
  RacePage(const RacePage&) = delete;
  RacePage& operator=(const RacePage&) = delete;

  /// Bytes of a cell: 1 << shift.
  int shift() const { return shift_; }
  std::size_t cells() const { return std::size_t{kRacePageBytes} >> shift_; }
  /// Cells of 1 << `to` bytes or smaller ones, each as the one that it is a part of.
  void refine(int to) {
    if (to < shift_) cut(to);
  }

  /// The cells of a kind; null: nobody has needed them yet.
  RaceMark* marks(RaceKind kind) const { return marks_[kind].get(); }
  RaceMark* made(RaceKind kind) {
    if (marks_[kind] == nullptr) make(kind);
    return marks_[kind].get();
  }
  /// Marks as stamps.
  RaceStamp stamp(RaceMark mark) const {
    const unsigned event = mark >> kRaceMarkShift;
    if (event == 0) return {};
    return {events_[event].time, events_[event].who | static_cast<RaceActor>(mark & kRaceMarkThread) << kRaceThreadShift};
  }
  RaceStamp at(RaceKind kind, std::size_t cell) const { return marks_[kind] == nullptr ? RaceStamp{} : stamp(marks_[kind][cell]); }
  void set(RaceKind kind, std::size_t cell, RaceMark mark) { marks_[kind][cell] = mark; }

  /// The mark of a stamp; times never decrease. May forget old events: what was read from cells before is of no meaning afterwards.
  /// `guess`: the event's number in the page that was touched before this one; pages with one history number alike.
  RaceMark mark(RaceStamp stamp, unsigned& guess) {
    const RaceStamp event{stamp.time, stamp.who & kNoThread};
    if ((used_ >> guess & 1u) == 0 || events_[guess].time != event.time || events_[guess].who != event.who) guess = find_event(event);
    return static_cast<RaceMark>(guess << kRaceMarkShift | race_thread(stamp.who));
  }
  /// Bit n is set when event n is known. The time of each known event is `time(n)`.
  std::uint64_t known() const { return used_; }
  RaceTime time(unsigned event) const { return events_[event].time; }

  /// Nobody has touched anything.
  void forget();
  std::uint64_t held_bytes() const;

 private:
  friend class RaceShadow;
  static constexpr RaceActor kNoThread = (RaceActor{1} << kRaceThreadShift) - 1;
  static constexpr std::uint8_t kFirstRoom = 8;

  void make(RaceKind kind);
  void cut(int to);
  unsigned find_event(RaceStamp event);
  void drop_events();

  std::uint64_t launch_ = 0;  ///< that its cells are about
  std::uint64_t used_ = 0;    ///< events that are known
  std::array<std::unique_ptr<RaceMark[]>, kRaceKinds> marks_;
  RaceStamp* events_ = first_.data();
  RaceTime newest_ = 0;  ///< of the events
  std::uint8_t room_ = kFirstRoom;
  std::uint8_t shift_ = kWordShift;
  std::unique_ptr<RaceStamp[]> more_;  ///< the events, when there are more than a few
  std::array<RaceStamp, kFirstRoom> first_{};
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
    if (page.launch_ != launch) {
      page.forget();
      page.launch_ = launch;
    }
    return page;
  }

  /// Calls `visit(first address, page)` for every page that `launch` touched.
  template <class Visit>
  void for_each_page(std::uint64_t launch, const Visit& visit) const {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      for (std::size_t i = 0; groups_[group] != nullptr && i < kGroupPages; ++i) {
        const RacePage& page = (*groups_[group])[i];
        if (page.launch_ == launch) visit(Address{first_ + group * kGroupPages + i} << kRacePageBits, page);
      }
    }
  }
  /// Memory that the shadow takes at present, with what malloc needs to keep account of it.
  std::uint64_t held_bytes() const;

 private:
  /// Allocations may be far longer than what is touched of them, so not even the list of pages is made in one piece.
  static constexpr std::size_t kGroupPages = 64;
  using Group = std::array<RacePage, kGroupPages>;
  std::uint64_t first_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace warpbook::vgpu
