// Instructors: who is in the class, and how they come in.
#include <fmt/format.h>

#include "judge/serve/class_routes.hpp"

namespace warpbook::serve {
namespace {

using nlohmann::json;

Answer list_people(Service& service, const Request&) {
  const auto all = service.desk->people.all();
  if (!all) return service.store_failure(all.error());
  json out = json::array();
  for (const classroom::Person& person : *all) out.push_back(to_json(person));
  return as_json({{"people", std::move(out)}});
}

/// "line 3, column 2" of a roster.
std::string place_in_roster(const Error& error) {
  if (error.where.line == 0) return "body: csv";
  return error.where.column > 0 ? fmt::format("line {}, column {}", error.where.line, error.where.column)
                                : fmt::format("line {}", error.where.line);
}

Answer import_roster(Service& service, const Request& request) {
  if (!request.json.contains("csv") || !request.json["csv"].is_string())
    return failure(422, "bad-roster", "'csv' is missing, expected the text of a CSV file with the columns login and name", "body: csv");
  const auto lines = classroom::read_roster(request.json["csv"].get<std::string>());
  if (!lines) return failure(422, "bad-roster", lines.error().what, place_in_roster(lines.error()));
  ClassDesk& desk = *service.desk;
  // As for removing: whoever takes their own role away could not give it back.
  for (const classroom::RosterLine& line : *lines) {
    if (line.role_given && line.role == classroom::Role::kLearner &&
        classroom::login_key(line.login) == classroom::login_key(request.who->login))
      return failure(422, "own-account", fmt::format("the list makes you, '{}', a learner; another instructor can do that", line.login),
                     "body: csv");
  }
  const auto invited = desk.people.invite(*lines, kInvitationValid);
  if (!invited) return service.store_failure(invited.error());
  json out = json::array();
  for (const classroom::Invitation& invitation : *invited)
    out.push_back({{"login", invitation.person.login},
                   {"name", invitation.person.name},
                   {"role", classroom::name_of(invitation.person.role)},
                   {"link", desk.link_of(invitation)},
                   {"expires_ms", invitation.expires_ms}});
  desk.known_sessions.forget_all();  // names and roles may be others now
  return as_json({{"invited", std::move(out)}, {"unchanged", lines->size() - invited->size()}});
}

Answer invite_again(Service& service, const Request& request, const classroom::Person& person) {
  const auto invitation = service.desk->people.invite_again(person.id, kInvitationValid);
  if (!invitation) return service.store_failure(invitation.error());
  if (!*invitation) return failure(404, "not-found", "the person was removed meanwhile", request.path);
  return as_json({{"link", service.desk->link_of(**invitation)}, {"expires_ms", (*invitation)->expires_ms}});
}

Answer remove_person(Service& service, const Request& request, const classroom::Person& person) {
  // A class without an instructor could be mended only from a terminal.
  if (person.id == request.who->id) return failure(422, "own-account", "you cannot remove yourself; another instructor can");
  if (Status ok = service.desk->people.remove(person.id); !ok) return service.store_failure(ok.error());
  service.desk->known_sessions.forget_all();
  return as_json({{"removed", person.id}});
}

}  // namespace

void add_class_people_routes(Router& router, Service& service) {
  router.add(Access::kInstructor, "GET", "/api/class/people", with_service(service, list_people));
  router.add(Access::kInstructor, "POST", "/api/class/roster", Body::kJson, with_service(service, import_roster));
  router.add(Access::kInstructor, "POST", "/api/class/people/{person}/invitation", with_person(service, invite_again));
  router.add(Access::kInstructor, "DELETE", "/api/class/people/{person}", with_person(service, remove_person));
}

}  // namespace warpbook::serve
