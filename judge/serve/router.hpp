#pragma once
// Which route a request takes. The table is also what the test of openapi.json walks: a route that the document does not know fails it.
#include <string>
#include <vector>

#include "judge/serve/http.hpp"

namespace warpbook::serve {

/// Who may take a route. In the form for one learner everybody is that learner; instructors' routes are a class's only. A route cannot be
/// added without saying it.
enum class Access {
  kAnyone,      ///< also who is not signed in
  kLearner,     ///< who is signed in, on what is their own
  kInstructor,  ///< what concerns other people
};

/// What a route asks of a request's body.
enum class Body { kNone, kJson };

struct Route {
  Access access;
  std::string method;  ///< GET, PUT, POST, DELETE
  std::string path;    ///< "/api/tasks/{id}/file": a name in braces stands for one part
  Body body = Body::kNone;
  Handler handler;
};

class Router {
 public:
  void add(Access access, std::string method, std::string path, Handler handler) {
    add(access, std::move(method), std::move(path), Body::kNone, std::move(handler));
  }
  void add(Access access, std::string method, std::string path, Body body, Handler handler);

  /// The route of the request, whose names are filled in; HEAD takes that of GET. Null when there is none; `allowed` then holds the
  /// methods that the path has ("GET, PUT"), and is empty when the path itself is unknown.
  const Route* find(Request& request, std::string& allowed) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

}  // namespace warpbook::serve
