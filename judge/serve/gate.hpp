#pragma once
// Who may ask what, in a class. A request says by a cookie whose it is; what changes something must also carry the session's token in a
// header, which no page of another site can read or send. What a route asks of its askers stands in the table of routes, and here is the
// one place that looks at it.
#include <optional>

#include "judge/serve/class_desk.hpp"
#include "judge/serve/router.hpp"

namespace warpbook::serve {

/// The token in the session's cookie; empty when there is none that could be one.
std::string session_token(const Request& request);
/// The Set-Cookie of a session; an empty token takes the cookie away.
std::string session_cookie(const std::string& token, bool secure);

/// Finds who asks (`request.who`), and refuses: too many requests (429), not signed in (401), not an instructor (403), without the token
/// (403), no database (503). Nothing: it may go on.
std::optional<Answer> refuse_at_gate(ClassDesk& desk, const Route& route, Request& request);

/// An answer that is a stream of events, as one of the few that a person may have open (kStreamsEach), else 429. It ends within some
/// seconds when its session does.
Answer held_to_person(ClassDesk& desk, const Request& request, Answer answer);

}  // namespace warpbook::serve
