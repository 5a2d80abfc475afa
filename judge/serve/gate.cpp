#include "judge/serve/gate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/text.hpp"
#include "judge/classroom/secrets.hpp"

namespace warpbook::serve {
namespace {

constexpr std::string_view kCookie = "warpbook_session=";
/// As long as a session can last at most; the database knows when it really ends.
constexpr std::chrono::seconds kCookieAge = classroom::kSessionLongest;
/// How often an open stream asks whether its session still is one.
constexpr std::chrono::seconds kLookAgain{10};

bool may_be_token(std::string_view text) {
  return text.size() == classroom::kTokenLength &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

std::optional<Answer> refuse_flood(ClassDesk& desk, const Request& request) {
  if (!request.who)
    return refuse_above(desk.requests_of_strangers, desk.address_of(request), "too-many-requests",
                        fmt::format("{} requests a second from one address without signing in", kStrangersPerSecond));
  return refuse_above(desk.requests, std::to_string(request.who->id), "too-many-requests",
                      fmt::format("{} requests a second", desk.config.limits.requests_per_second));
}

/// Ends with the session under which it was opened.
EventSource while_signed_in(ClassDesk& desk, std::string token, EventSource events) {
  const auto looked = std::make_shared<std::chrono::steady_clock::time_point>(std::chrono::steady_clock::now());
  return [&desk, token = std::move(token), events = std::move(events), looked](std::string& out) {
    if (const auto now = std::chrono::steady_clock::now(); now - *looked > kLookAgain) {
      *looked = now;
      // Without a database nobody is signed out.
      const auto who = desk.known_sessions.find(desk.sessions, token);
      if (who && !*who) return false;
    }
    return events(out);
  };
}

}  // namespace

std::string session_token(const Request& request) {
  const std::string& cookies = request.header("cookie");
  for (std::size_t begin = 0; begin < cookies.size();) {
    const std::size_t end = std::min(cookies.find(';', begin), cookies.size());
    const std::string_view one = trimmed(std::string_view(cookies).substr(begin, end - begin));
    if (one.starts_with(kCookie) && may_be_token(one.substr(kCookie.size()))) return std::string(one.substr(kCookie.size()));
    begin = end + 1;
  }
  return {};
}

std::string session_cookie(const std::string& token, bool secure) {
  return fmt::format("{}{}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", kCookie, token, token.empty() ? 0 : kCookieAge.count(),
                     secure ? "; Secure" : "");
}

std::optional<Answer> refuse_at_gate(ClassDesk& desk, const Route& route, Request& request) {
  if (const std::string token = session_token(request); !token.empty()) {
    Result<std::optional<Who>> who = desk.known_sessions.find(desk.sessions, token);
    if (!who) return desk.failure_of(who.error());
    request.who = std::move(*who);
  }
  if (auto refusal = refuse_flood(desk, request)) return refusal;
  if (route.access == Access::kAnyone) return std::nullopt;
  if (!request.who) return failure(401, "signed-out", "you are not signed in, or not any more; sign in and try again");
  if (route.access == Access::kInstructor && !request.who->instructor)
    return failure(403, "instructors-only", "this is for instructors of the class only");
  if (request.changes_something() && !classroom::same_secret(request.header("x-warpbook-token"), request.who->csrf))
    return failure(403, "bad-token", "the X-Warpbook-Token header is missing or not that of this session; load the page again",
                   "header: x-warpbook-token");
  return std::nullopt;
}

Answer held_to_person(ClassDesk& desk, const Request& request, Answer answer) {
  // A stream that its reader left is noticed within a second or two.
  constexpr int kSeconds = 5;
  const std::shared_ptr<void> place = desk.streams.take(std::to_string(request.who->id));
  if (!place)
    return try_again(
        429, "too-many-streams",
        fmt::format("at most {} streams of events may be open at once, and you have them; close a tab or two, and try again in "
                    "{} s",
                    kStreamsEach, kSeconds),
        kSeconds);
  answer.events = [place, events = while_signed_in(desk, session_token(request), std::move(answer.events))](std::string& out) {
    return events(out);
  };
  return answer;
}

}  // namespace warpbook::serve
