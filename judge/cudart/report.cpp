#include "judge/cudart/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "judge/device/codes.hpp"
#include "judge/device/fault_json.hpp"
#include "judge/device/fault_text.hpp"

namespace warpbook::cudart {
namespace {

using nlohmann::json;

/// A kernel's name or a path may be no UTF-8; the report is told all the same.
std::string text_of(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace

device::Counters difference(const device::Counters& after, const device::Counters& before) {
  device::Counters more = after;
#define COUNTER(name) more.name -= before.name;
#include "judge/device/counters.def"
#undef COUNTER
  return more;
}

void Report::set_descriptor(int descriptor) {
  descriptor_ = descriptor;
  owner_ = ::getpid();
}

bool Report::speaks() const { return descriptor_ >= 0 && !ended_ && owner_ == ::getpid(); }

void Report::line(const std::string& json) const {
  for (std::size_t at = 0; at < json.size();) {
    const ssize_t written = ::write(descriptor_, json.data() + at, json.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens any more
    at += static_cast<std::size_t>(written);
  }
}

void Report::finding(const device::Fault& fault) {
  std::fflush(stdout);  // the report comes after what the program printed before
  if (speaks()) return line(text_of({{"finding", device::fault_to_json(fault)}}));
  const std::string text = device::fault_text(fault) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Report::refused(std::string_view call, device::Code code, std::string_view message) {
  if (!message.empty()) fmt::print(stderr, "warpbook: {}: {}\n", call, message);
  if (speaks())
    line(text_of({{"refused", {{"call", call}, {"code", static_cast<int>(code)}, {"name", device::name_of(code)}, {"message", message}}}}));
}

void Report::launched(const std::string& kernel, const device::Counters& before, const device::Counters& after) {
  if (!speaks()) return;
  Row& row = rows_[kernel];
  if (row.launches++ == 0) order_.push_back(kernel);
  row.counters += difference(after, before);
}

void Report::leak(device::Address address, std::uint64_t bytes, std::string_view call) {
  if (speaks()) line(text_of({{"leak", {{"address", address}, {"bytes", bytes}, {"call", call}}}}));
}

void Report::end(std::string_view how) {
  if (!speaks()) return;
  for (const std::string& kernel : order_)
    line(text_of(
        {{"kernel",
          {{"name", kernel}, {"launches", rows_[kernel].launches}, {"counters", device::counters_to_json(rows_[kernel].counters)}}}}));
  line(text_of({{"end", how}}));
  ended_ = true;
}

}  // namespace warpbook::cudart
