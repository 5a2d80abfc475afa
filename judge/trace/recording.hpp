#pragma once
// What a trace keeps: the steps of one block, each with what it changed. Results, accesses and changes of shared memory are kept as the
// bytes that the page will carry (README.md, "The stream"): a trace of 20,000 steps is a few megabytes and is never looked at here.
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/vgpu/region.hpp"
#include "judge/vgpu/registers.hpp"
#include "judge/vgpu/step.hpp"

namespace warpbook::trace {

/// Numbers appended to a string, little-endian.
class Bytes {
 public:
  template <class T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) text_ += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i);
  }
  /// One number per lane of `lanes`: a byte that says how (kUniform, kAffine, kRaw), then `bytes` wide numbers.
  void put_lanes(vgpu::LaneMask lanes, const std::uint64_t* value, int bytes);
  void append(const Bytes& other) { text_ += other.text_; }
  const std::string& text() const { return text_; }
  std::size_t size() const { return text_.size(); }

 private:
  void put_wide(std::uint64_t value, int bytes);
  std::string text_;
};

enum LaneEncoding : std::uint8_t { kUniform = 0, kAffine = 1, kRaw = 2 };

/// Where a warp stands; part of the page's contract.
enum class WarpState : std::uint8_t { kReady, kNotBegun, kBarrier, kLanes, kSpins, kExited };

/// A step of a warp and what became of it.
struct Event {
  std::uint8_t warp = 0;
  std::uint16_t site = 0;  ///< into Recording::sites
  vgpu::LaneMask mask = 0, active = 0;
  std::uint16_t value_count = 0, access_count = 0, word_count = 0, state_count = 0;
  Bytes values, accesses, words, states;
  std::size_t size() const { return values.size() + accesses.size() + words.size() + states.size(); }
};

struct Recording {
  std::vector<Event> events;
  nlohmann::json sites = nlohmann::json::array();      ///< {"ptx", "op", "at": [[file, line, function]...], innermost first}
  nlohmann::json registers = nlohmann::json::array();  ///< {"name", "type", "watch": [index into watches]}
  nlohmann::json watches = nlohmann::json::array();    ///< {"name", "type", "function"}
  nlohmann::json regions = nlohmann::json::array();    ///< global memory that was touched: {"name", "bytes"}
  nlohmann::json shared = nlohmann::json::array();     ///< {"name", "at", "bytes"}
  std::string kernel;
  nlohmann::json grid, block, index;  ///< [x, y, z]
  std::uint64_t launch = 0;           ///< the launch's number, 0: it never came
  std::uint64_t launches = 0;
  std::uint64_t first = 0, steps = 0;  ///< warp steps before the window, and all there were
  bool truncated = false;              ///< there were steps behind the window
};

/// The recording's stream, in base64.
std::string stream_of(const Recording& recording);

}  // namespace warpbook::trace
