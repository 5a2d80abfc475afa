#pragma once
// What `judge exec` makes of the report of a program: findings at once, then what is left allocated and what each kernel cost.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "judge/device/device.hpp"
#include "judge/report/style.hpp"

namespace warpbook::commands {

class ExecReport {
 public:
  /// `source` is the path that paths in the report are shown as when they mean the same file ("axpy.cu"); may be empty.
  ExecReport(report::Style style, std::string source) : style_(style), source_(std::move(source)) {}

  /// Takes a line of the report; what is to be shown at once, or nothing. A line that is none is passed over.
  std::string take(const std::string& line);
  /// The rest, for the terminal.
  std::string closing() const;
  /// All of it, for `--json`.
  nlohmann::json as_json() const;

  /// Findings that are more than information: the program should not be called right.
  int findings() const { return errors_ + warnings_; }
  /// Calls of the API that were refused: a program that asks on purpose has to be told apart by whoever reads the report.
  std::size_t refused() const { return refused_.size(); }
  /// False: the program ended in a way that told us no more (SIGKILL, _exit), or never used a device.
  bool complete() const { return !end_.empty(); }

 private:
  std::string finding(const device::Fault& fault);
  std::string leaks() const;
  std::string table() const;

  report::Style style_;
  std::string source_;
  int errors_ = 0, warnings_ = 0, infos_ = 0;
  nlohmann::json findings_ = nlohmann::json::array(), refused_ = nlohmann::json::array(), leaks_ = nlohmann::json::array(),
                 kernels_ = nlohmann::json::array();
  bool without_lines_ = false;        ///< a finding could not say its line
  std::map<std::string, int> times_;  ///< how often the same was found at the same place
  std::string end_;
};

}  // namespace warpbook::commands
