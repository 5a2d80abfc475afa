#include "judge/serve/class_config.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/task/place.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

/// Where each name of an object stands in the text of a valid document, by its path ("limits/runs_per_minute"): the parser tells only of
/// what is no JSON. A name given twice is known by its second place, which is the one that counts.
std::map<std::string, std::size_t> places_of_names(const std::string& text) {
  std::map<std::string, std::size_t> places;
  std::vector<std::string> path;
  std::string last;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const std::size_t begin = i;
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
      last = text.substr(begin + 1, i - begin - 1);
      std::size_t behind = i + 1;
      while (behind < text.size() && (text[behind] == ' ' || text[behind] == '\n' || text[behind] == '\t' || text[behind] == '\r'))
        ++behind;
      if (behind >= text.size() || text[behind] != ':') continue;
      std::string whole;
      for (const std::string& part : path) whole += part.empty() ? "" : part + "/";
      places[whole + last] = begin;
    } else if (text[i] == '{') {
      path.push_back(path.empty() ? "" : last);
    } else if (text[i] == '}') {
      path.pop_back();
    }
  }
  return places;
}

/// Takes members of an object one by one and keeps the first error.
class Members {
 public:
  Members(const json& object, std::string prefix, const std::map<std::string, std::size_t>& places, const std::string& file,
          const std::string& text, std::optional<Error>& error)
      : object_(object), prefix_(std::move(prefix)), places_(places), file_(file), text_(text), error_(error) {}

  const json* take(const std::string& name) {
    known_.push_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  void text(const std::string& name, std::string& to, bool required = false) {
    const json* value = take(name);
    if (value == nullptr && required) return fail(name, fmt::format("'{}{}' is missing, expected a text", prefix_, name));
    if (value == nullptr) return;
    if (!value->is_string() || value->get<std::string>().empty())
      return fail(name, fmt::format("'{}{}' is {}, expected a text that is not empty", prefix_, name, shown(*value)));
    const std::string given = *value;
    if (std::any_of(given.begin(), given.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
      return fail(name, fmt::format("'{}{}' holds a control character, expected text in one line", prefix_, name));
    to = given;
  }
  void path(const std::string& name, std::filesystem::path& to, bool required = false) {
    std::string as_text;
    text(name, as_text, required);
    if (!as_text.empty()) to = (std::filesystem::absolute(file_).parent_path() / as_text).lexically_normal();
  }
  template <class Number>
  void number(const std::string& name, Number& to, std::int64_t least, std::int64_t most) {
    const json* value = take(name);
    if (value == nullptr) return;
    if (!value->is_number_integer() || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most)
      return fail(name, fmt::format("'{}{}' is {}, expected a whole number from {} to {}", prefix_, name, shown(*value), least, most));
    to = value->get<Number>();
  }
  void fail(const std::string& name, const std::string& what) {
    const auto place = places_.find(prefix_ + name);
    if (!error_) error_ = Error{what, place == places_.end() ? Where{file_} : task::place_of(text_, place->second, file_)};
  }
  /// What was never taken is unknown.
  void end() {
    for (const auto& [name, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        fail(name, fmt::format("'{}{}' is not known here, expected one of {}", prefix_, name, fmt::join(known_, ", ")));
  }

 private:
  static std::string shown(const json& value) {
    constexpr std::size_t kMost = 40;
    const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
  }

  const json& object_;
  const std::string prefix_;
  const std::map<std::string, std::size_t>& places_;
  const std::string& file_;
  const std::string& text_;
  std::optional<Error>& error_;
  std::vector<std::string> known_;
};

/// "https://course.example:8443": a scheme and a host as a browser writes them in its Origin header (RFC 6454): small letters, no path, and
/// no port where it is the scheme's own.
bool is_origin(const std::string& text) {
  const bool tls = text.starts_with("https://");
  if (!tls && !text.starts_with("http://")) return false;
  const std::string host = text.substr(tls ? 8 : 7);
  const auto is_allowed = [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.' || c == ':' || c == '[' || c == ']';
  };
  const std::size_t colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  const std::string port = colon == std::string::npos ? "" : host.substr(colon + 1);
  if (host.empty() || colon == 0 || !std::all_of(host.begin(), host.end(), is_allowed)) return false;
  if (colon == std::string::npos) return true;
  return !port.empty() && port.find_first_not_of("0123456789") == std::string::npos && port.front() != '0' && port != (tls ? "443" : "80");
}

bool is_address(const std::string& text) {
  in6_addr bytes{};
  return ::inet_pton(AF_INET, text.c_str(), &bytes) == 1 || ::inet_pton(AF_INET6, text.c_str(), &bytes) == 1;
}

void read_limits(const json& limits, Members members, ClassLimits& to) {
  if (!limits.is_object()) return;
  members.number("runs_waiting_per_learner", to.runs_waiting_per_learner, 1, 100);
  members.number("runs_per_minute", to.runs_per_minute, 1, 10'000);
  members.number("requests_per_second", to.requests_per_second, 1, 10'000);
  members.number("source_bytes", to.source_bytes, 1024, static_cast<std::int64_t>(kLargestText));
  members.end();
}

}  // namespace

Result<ClassConfig> read_class_config(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  const std::string name = file.string();
  json parsed;
  try {
    parsed = json::parse(*text);
  } catch (const json::parse_error& e) {
    return Error{"the file of a class is not JSON from here on", task::place_of(*text, e.byte == 0 ? 0 : e.byte - 1, name)};
  } catch (const json::out_of_range&) {
    return Error{"the file of a class holds a number beyond 1.8e308, the largest that a double can be", Where{name}};
  }
  if (!parsed.is_object())
    return Error{fmt::format("the file of a class is of type {}, expected an object", parsed.type_name()), Where{name, 1, 1}};
  const std::map<std::string, std::size_t> places = places_of_names(*text);
  std::optional<Error> error;
  ClassConfig config;
  Members members(parsed, "", places, name, *text, error);
  members.text("name", config.name, true);
  members.text("database", config.database, true);
  members.path("work", config.work, true);
  members.text("address", config.address);
  if (!is_address(config.address))
    members.fail("address", fmt::format("'address' is '{}', expected an address of this machine in numbers, as 127.0.0.1", config.address));
  constexpr int kLastPort = 65535, kMostJobs = 64;
  members.number("port", config.port, 0, kLastPort);
  members.text("origin", config.origin);
  if (!config.origin.empty() && !is_origin(config.origin))
    members.fail("origin",
                 fmt::format("'origin' is '{}', expected what a browser shows of the address, as https://course.example", config.origin));
  // What browsers will call the server is known only of the machine's own address.
  if (config.origin.empty() && !config.address.starts_with("127.") && config.address != "::1")
    members.fail("address",
                 fmt::format("'address' is {}, which others can reach, so that 'origin' is needed: what a browser shows of it, as "
                             "https://course.example",
                             config.address));
  members.path("seed_file", config.seed_file);
  members.path("overlay", config.overlay);
  members.number("jobs", config.jobs, 1, kMostJobs);
  if (const json* limits = members.take("limits")) {
    if (!limits->is_object()) members.fail("limits", fmt::format("'limits' is of type {}, expected an object", limits->type_name()));
    read_limits(*limits, Members(*limits, "limits/", places, name, *text, error), config.limits);
  }
  members.end();
  std::error_code ignored;
  if (!config.seed_file.empty() && !std::filesystem::is_regular_file(config.seed_file, ignored))
    members.fail("seed_file", fmt::format("there is no file {}", config.seed_file.string()));
  if (!config.overlay.empty() && !std::filesystem::is_directory(config.overlay, ignored))
    members.fail("overlay", fmt::format("there is no folder {}", config.overlay.string()));
  if (error) return std::move(*error);
  return config;
}

}  // namespace warpbook::serve
