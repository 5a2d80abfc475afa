#pragma once
// A request and its answer as the routes see them: no sockets, so that a route is a function that can be tested by calling it.
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::serve {

/// Larger bodies are answered with 413; a source of 1 MiB fits with everything in it escaped that usually is.
inline constexpr std::size_t kLargestBody = 2u << 20;

/// Who asks, in a class: the person of the session, and the token that their pages must send with whatever changes something.
struct Who {
  std::int64_t id = 0;
  std::string login, name;
  bool instructor = false;
  std::string csrf;
};

struct Request {
  std::string method, path;                    ///< the path is decoded
  std::map<std::string, std::string> query;    ///< the first of each name
  std::map<std::string, std::string> headers;  ///< names in lower case; the first of each
  std::string body;
  std::map<std::string, std::string> names;  ///< what stands in the path for {id}, {run}...; set by the router
  nlohmann::json json;                       ///< of a body; set by the guard for those routes that take one
  std::string peer;                          ///< address of the other side of the socket
  std::optional<Who> who;                    ///< set by the gate of a class; nobody in the form for one learner

  const std::string& header(const std::string& name) const;
  const std::string& name(const std::string& name) const { return names.at(name); }
  bool changes_something() const { return method != "GET" && method != "HEAD"; }
  /// "zh" when the query says so, else "en".
  std::string language() const;
};

/// A stream of events: waits a while, puts what there is to send behind `out` (nothing: there was nothing yet) and says whether it goes on.
using EventSource = std::function<bool(std::string& out)>;

struct Answer {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  EventSource events;  ///< set: the body is this stream
};

using Handler = std::function<Answer(const Request&)>;

/// JSON; bytes that are no UTF-8 are replaced.
std::string dumped(const nlohmann::json& json);
Answer as_json(const nlohmann::json& json, int status = 200);
/// {"error": {code, message, where}}
Answer failure(int status, const std::string& code, const std::string& message, const std::string& where = {});
/// 429 or 503, which says in its header and in its body after how many seconds to ask again.
Answer try_again(int status, const std::string& code, const std::string& message, int seconds);
/// An Error of the judge as a failure, with its place.
Answer failure(int status, const std::string& code, const Error& error);

}  // namespace warpbook::serve
