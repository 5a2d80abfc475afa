#include "judge/device/fault_json.hpp"

#include "judge/device/fault_text.hpp"
#include "judge/device/sanitizer_category.hpp"

namespace warpbook::device {
namespace {

using nlohmann::json;

constexpr std::string_view kSeverities[] = {"error", "warning", "info"};

json dim_to_json(const Dim3& d) { return json::array({d.x, d.y, d.z}); }

json frames_to_json(const std::vector<Frame>& frames) {
  json out = json::array();
  for (const Frame& f : frames) out.push_back({{"file", f.file}, {"line", f.line}, {"column", f.column}, {"function", f.function}});
  return out;
}

template <class T>
T get(const json& from, const char* key, T otherwise) {
  const auto at = from.find(key);
  if (at == from.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) return at->is_string() ? at->get<std::string>() : otherwise;
  if constexpr (std::is_arithmetic_v<T>) return at->is_number() ? at->get<T>() : otherwise;
  return otherwise;
}

json list(const json& from, const char* key) {
  const auto at = from.find(key);
  return at != from.end() && at->is_array() ? *at : json::array();
}

Dim3 dim(const json& from, const char* key) {
  const json three = list(from, key);
  if (three.size() != 3 || !three[0].is_number() || !three[1].is_number() || !three[2].is_number()) return {0, 0, 0};
  return {three[0], three[1], three[2]};
}

std::vector<Frame> frames(const json& from) {
  std::vector<Frame> out;
  for (const json& f : list(from, "frames"))
    out.push_back({get<std::string>(f, "file", {}), get<std::string>(f, "function", {}), get(f, "line", 0), get(f, "column", 0)});
  return out;
}

FaultKind kind_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(FaultKind::kLaunchError); ++i)
    if (name_of(static_cast<FaultKind>(i)) == name) return static_cast<FaultKind>(i);
  return FaultKind::kNone;
}

Severity severity_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kSeverities); ++i)
    if (kSeverities[i] == name) return static_cast<Severity>(i);
  return Severity::kError;
}

}  // namespace

json fault_to_json(const Fault& f) {
  const SanitizerCategory category = sanitizer_category(f);
  json waiters = json::array(), related = json::array();
  for (const Waiter& w : f.waiters) waiters.push_back({{"what", w.what}, {"threads", w.threads}, {"frames", frames_to_json(w.frames)}});
  for (const Related& r : f.related)
    related.push_back(
        {{"what", r.what}, {"thread", dim_to_json(r.thread)}, {"block", dim_to_json(r.block)}, {"frames", frames_to_json(r.frames)}});
  return {{"kind", name_of(f.kind)},
          {"severity", kSeverities[static_cast<std::size_t>(f.severity)]},
          {"code", static_cast<int>(f.code)},
          {"category", {{"tool", category.tool}, {"text", category.text}}},
          {"kernel", f.kernel},
          {"message", f.message},
          {"frames", frames_to_json(f.frames)},
          {"instruction", f.instruction},
          {"thread", dim_to_json(f.thread)},
          {"block", dim_to_json(f.block)},
          {"address", f.address},
          {"bytes", f.bytes},
          {"space", f.space},
          {"waiters", waiters},
          {"related", related},
          {"lanes", f.lanes_affected}};
}

Fault fault_from_json(const json& j) {
  Fault f;
  f.kind = kind_named(get<std::string>(j, "kind", {}));
  f.severity = severity_named(get<std::string>(j, "severity", {}));
  f.code = static_cast<Code>(get(j, "code", static_cast<int>(f.code)));
  f.kernel = get<std::string>(j, "kernel", {});
  f.message = get<std::string>(j, "message", {});
  f.frames = frames(j);
  f.instruction = get<std::string>(j, "instruction", {});
  f.thread = dim(j, "thread");
  f.block = dim(j, "block");
  f.address = get(j, "address", f.address);
  f.bytes = get(j, "bytes", f.bytes);
  f.space = get<std::string>(j, "space", {});
  for (const json& w : list(j, "waiters"))
    f.waiters.push_back({get<std::string>(w, "what", {}), get<std::string>(w, "threads", {}), frames(w)});
  for (const json& r : list(j, "related"))
    f.related.push_back({get<std::string>(r, "what", {}), dim(r, "thread"), dim(r, "block"), frames(r)});
  f.lanes_affected = get(j, "lanes", f.lanes_affected);
  return f;
}

json counters_to_json(const Counters& c) {
  json out;
#define COUNTER(name) out[#name] = c.name;
#include "judge/device/counters.def"
#undef COUNTER
  return out;
}

Counters counters_from_json(const json& j) {
  Counters c;
#define COUNTER(name) c.name = get(j, #name, c.name);
#include "judge/device/counters.def"
#undef COUNTER
  return c;
}

}  // namespace warpbook::device
