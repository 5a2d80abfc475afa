#include "judge/serve/router.hpp"

#include <algorithm>
#include <optional>

namespace warpbook::serve {
namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin + 1), path.size());
    parts.push_back(path.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return parts;
}

std::optional<std::map<std::string, std::string>> matched(const std::string& path, const std::vector<std::string>& parts) {
  std::map<std::string, std::string> names;
  const std::vector<std::string> wanted = parts_of(path);
  if (wanted.size() != parts.size()) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool named = wanted[i].starts_with('{');
    if (named && parts[i].empty()) return std::nullopt;
    if (!named && wanted[i] != parts[i]) return std::nullopt;
    if (named) names[wanted[i].substr(1, wanted[i].size() - 2)] = parts[i];
  }
  return names;
}

}  // namespace

void Router::add(Access access, std::string method, std::string path, Body body, Handler handler) {
  routes_.push_back({access, std::move(method), std::move(path), body, std::move(handler)});
}

const Route* Router::find(Request& request, std::string& allowed) const {
  const std::vector<std::string> parts = parts_of(request.path);
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : routes_) {
    auto names = matched(route.path, parts);
    if (!names) continue;
    if (route.method == method) {
      request.names = std::move(*names);
      return &route;
    }
    allowed += (allowed.empty() ? "" : ", ") + route.method;
  }
  return nullptr;
}

}  // namespace warpbook::serve
