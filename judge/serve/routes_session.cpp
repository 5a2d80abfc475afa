// Coming in and going out: which form of the workbook this is, sessions, invitations.
#include <fmt/format.h>

#include "judge/serve/gate.hpp"
#include "judge/serve/routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

json who_json(const Who& who) {
  return {{"id", who.id}, {"login", who.login}, {"name", who.name}, {"role", who.instructor ? "instructor" : "learner"}};
}

json session_json(const ClassDesk& desk, const std::optional<Who>& who) {
  return {{"form", "class"},
          {"class", desk.config.name},
          {"person", who ? who_json(*who) : json()},
          {"token", who ? json(who->csrf) : json()},
          {"limits", {{"source_bytes", desk.config.limits.source_bytes}}}};
}

Answer show_session(ClassDesk& desk, const Request& request) { return as_json(session_json(desk, request.who)); }

/// Begins a session for somebody who has shown that they are the person.
Answer signed_in(ClassDesk& desk, const Request& request, std::int64_t person) {
  // The browser's earlier session is over: nobody else can go on with it.
  if (const std::string before = session_token(request); !before.empty()) {
    if (Status ended = desk.sessions.end(before); !ended) return desk.failure_of(ended.error());
    desk.known_sessions.forget(before);
  }
  const Result<std::string> token = desk.sessions.begin(person);
  if (!token) return desk.failure_of(token.error());
  const Result<std::optional<Who>> who = desk.known_sessions.find(desk.sessions, *token);
  if (!who) return desk.failure_of(who.error());
  Answer answer = as_json(session_json(desk, *who));
  answer.headers.emplace_back("Set-Cookie", session_cookie(*token, desk.config.secure()));
  return answer;
}

/// A member of the body that is a text. The Error is the client's.
Result<std::string> text_in(const json& body, const char* name) {
  if (!body.contains(name) || !body[name].is_string()) return Error{fmt::format("'{}' is missing or no text", name)};
  return body[name].get<std::string>();
}

Answer too_many_tries(int seconds) {
  return try_again(429, "too-many-tries", fmt::format("too many tries failed; try again in {} s", seconds), seconds);
}

/// What keeps a password from being looked at: no database, or too many people who sign in at this moment (each takes 64 MiB for a while).
Answer no_password_now(const ClassDesk& desk, const Error& error) {
  const Answer answer = desk.failure_of(error);
  if (answer.status == 503) return answer;
  constexpr int kSeconds = 20;
  return try_again(503, "busy", "too many people sign in at this moment; try again in a little while", kSeconds);
}

Answer sign_in(ClassDesk& desk, const Request& request) {
  const Result<std::string> login = text_in(request.json, "login"), password = text_in(request.json, "password");
  if (!login) return failure(422, "bad-session", login.error().what, "body");
  if (!password) return failure(422, "bad-session", password.error().what, "body");
  constexpr std::size_t kMost = 1000;
  if (login->size() > kMost || password->size() > kMost)
    return failure(422, "bad-session", fmt::format("login and password have at most {} bytes each", kMost), "body");
  const std::string address = desk.address_of(request), key = classroom::login_key(*login);
  if (const int seconds = desk.wrong_addresses.look(address); seconds > 0) return too_many_tries(seconds);
  // Of one login a try is paid for before the password is looked at, so that a hundred at once are not all free, and given back by success.
  // An address pays for failures only: a class that signs in together has one address.
  if (const int seconds = desk.wrong_logins.take(key); seconds > 0) return too_many_tries(seconds);
  const Result<std::optional<classroom::Person>> person = desk.people.sign_in(*login, *password);
  if (!person || *person) desk.wrong_logins.give_back(key);
  if (!person) return no_password_now(desk, person.error());
  if (!*person) {
    desk.wrong_addresses.take(address);
    return failure(401, "wrong-password", "login or password is wrong");
  }
  return signed_in(desk, request, (*person)->id);
}

Answer sign_out(ClassDesk& desk, const Request& request) {
  const std::string token = session_token(request);
  if (Status ended = desk.sessions.end(token); !ended) return desk.failure_of(ended.error());
  desk.known_sessions.forget(token);
  Answer answer = as_json(session_json(desk, std::nullopt));
  answer.headers.emplace_back("Set-Cookie", session_cookie("", desk.config.secure()));
  return answer;
}

/// A token is no word that anybody types: what has another form is not looked for.
bool may_be_invitation(const std::string& token) { return token.size() <= 100; }

Answer no_invitation() {
  return failure(404, "no-invitation", "this invitation is not good any more: it was used, replaced by another, or is too old");
}

/// The invitation of the path, or the refusal.
std::optional<Answer> look_up(ClassDesk& desk, const Request& request, classroom::Invitation& to) {
  const std::string address = desk.address_of(request);
  if (const int seconds = desk.wrong_addresses.look(address); seconds > 0) return too_many_tries(seconds);
  const std::string& token = request.name("token");
  const auto found = may_be_invitation(token) ? desk.people.invitation(token) : Result<std::optional<classroom::Invitation>>(std::nullopt);
  if (!found) return desk.failure_of(found.error());
  if (!*found) {
    desk.wrong_addresses.take(address);
    return no_invitation();
  }
  to = **found;
  return std::nullopt;
}

Answer show_invitation(ClassDesk& desk, const Request& request) {
  classroom::Invitation invitation;
  if (auto refusal = look_up(desk, request, invitation)) return std::move(*refusal);
  return as_json({{"class", desk.config.name},
                  {"name", invitation.person.name},
                  {"login", invitation.person.login},
                  {"role", classroom::name_of(invitation.person.role)},
                  {"expires_ms", invitation.expires_ms}});
}

Answer accept_invitation(ClassDesk& desk, const Request& request) {
  classroom::Invitation invitation;
  if (auto refusal = look_up(desk, request, invitation)) return std::move(*refusal);
  const Result<std::string> password = text_in(request.json, "password");
  if (!password) return failure(422, "bad-password", password.error().what, "body");
  if (Status ok = classroom::check_password(*password); !ok) return failure(422, "bad-password", ok.error().what, "body");
  const auto person = desk.people.accept(request.name("token"), *password);
  if (!person) return no_password_now(desk, person.error());
  if (!*person) return no_invitation();
  desk.known_sessions.forget_all();  // earlier sessions of this person have ended
  return signed_in(desk, request, (*person)->id);
}

}  // namespace

void add_session_routes(Router& router, Service& service) {
  if (!service.desk) {
    router.add(Access::kAnyone, "GET", "/api/session", [](const Request&) { return as_json({{"form", "single"}}); });
    return;
  }
  const auto at_desk = [&desk = *service.desk](Answer (*function)(ClassDesk&, const Request&)) {
    return [&desk, function](const Request& request) { return function(desk, request); };
  };
  router.add(Access::kAnyone, "GET", "/api/session", at_desk(show_session));
  router.add(Access::kAnyone, "POST", "/api/session", Body::kJson, at_desk(sign_in));
  router.add(Access::kLearner, "DELETE", "/api/session", at_desk(sign_out));
  router.add(Access::kAnyone, "GET", "/api/invitations/{token}", at_desk(show_invitation));
  router.add(Access::kAnyone, "POST", "/api/invitations/{token}", Body::kJson, at_desk(accept_invitation));
}

}  // namespace warpbook::serve
