#pragma once
// What a program did on the device, told to whoever runs it.
//
// Under `judge exec` it goes, a line of JSON at a time, into a pipe: findings the moment they are known (a program that is killed later
// has told them already), the rest at its end. The judge at the other end shows it and writes `--json`. Run by hand, without a judge, a
// program tells its findings on stderr and nothing else. What the lines hold is in README.md.
#include <map>
#include <string>
#include <vector>

#include "judge/device/device.hpp"

namespace warpbook::cudart {

class Report {
 public:
  /// Lines go to this descriptor; -1: findings go to stderr as text. Belongs to the process that sets it, not to its forked children.
  void set_descriptor(int descriptor);
  bool to_judge() const { return descriptor_ >= 0; }

  void finding(const device::Fault& fault);
  /// A call that was refused. On stderr too, since the program may go on for long.
  void refused(std::string_view call, device::Code code, std::string_view message);
  /// Adds what a launch cost, `after` less `before`, to the row of its kernel.
  void launched(const std::string& kernel, const device::Counters& before, const device::Counters& after);
  /// Memory that nobody gave back: where, how many bytes, by which call it was got.
  void leak(device::Address address, std::uint64_t bytes, std::string_view call);
  /// The rows of kernels and the last line; what comes later is not told.
  void end(std::string_view how);

 private:
  struct Row {
    std::uint64_t launches = 0;
    device::Counters counters{};
  };
  bool speaks() const;
  void line(const std::string& json) const;

  int descriptor_ = -1, owner_ = 0;
  bool ended_ = false;
  std::map<std::string, Row> rows_;
  std::vector<std::string> order_;  ///< kernels as they were first launched
};

/// What `after` has more than `before`.
device::Counters difference(const device::Counters& after, const device::Counters& before);

}  // namespace warpbook::cudart
