#include "judge/serve/guard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"

namespace warpbook::serve {
namespace {

/// "localhost" of "localhost:8787". Any port: a tunnel brings its own, and a foreign name is foreign with each.
std::string host_name(const std::string& host) {
  const std::size_t colon = host.rfind(':');
  const bool port = colon != std::string::npos && host.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return port ? host.substr(0, colon) : host;
}

/// "course.example" of "https://course.example".
std::string host_of(const std::string& origin) { return origin.substr(origin.find("://") + 3); }

/// Deeper ones are no request of ours, and code that walks a tree should not have to think of its stack.
constexpr int kDeepestBody = 8;

bool too_deep(const std::string& body) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (in_string && body[i] == '\\') ++i;
    else if (body[i] == '"') in_string = !in_string;
    else if (!in_string && (body[i] == '[' || body[i] == '{') && ++depth > kDeepestBody) return true;
    else if (!in_string && (body[i] == ']' || body[i] == '}')) --depth;
  }
  return false;
}

}  // namespace

std::optional<Answer> refuse_stranger(const Request& request, const OwnAddress* own) {
  const std::string& host = request.header("host");
  const std::string name = host_name(host);
  if (own == nullptr && name != "127.0.0.1" && name != "localhost" && name != "[::1]")
    return failure(403, "wrong-host", fmt::format("the Host header is '{}', expected 127.0.0.1 or localhost", host));
  if (own != nullptr && host != host_of(own->origin) && std::find(own->hosts.begin(), own->hosts.end(), host) == own->hosts.end())
    return failure(403, "wrong-host", fmt::format("the Host header is '{}', expected {}", host, host_of(own->origin)));
  const std::string& origin = request.header("origin");
  const std::string expected = own == nullptr ? "http://" + host : own->origin;
  if (request.changes_something() && !origin.empty() && origin != expected)
    return failure(403, "foreign-origin", fmt::format("the Origin header is '{}', expected {} or none", origin, expected));
  const std::string& site = request.header("sec-fetch-site");
  if ((site == "cross-site" || site == "same-site") && request.path.starts_with("/api/"))
    return failure(403, "foreign-origin", "a page of another site asked");
  const auto language = request.query.find("lang");
  if (language != request.query.end() && language->second != "en" && language->second != "zh")
    return failure(400, "bad-language", fmt::format("lang is '{}', expected en or zh", language->second), "query: lang");
  return std::nullopt;
}

std::optional<Answer> refuse_body(const Route& route, Request& request) {
  if (route.body == Body::kNone) return std::nullopt;
  std::string type = request.header("content-type");
  type = type.substr(0, type.find_first_of("; "));
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (type != "application/json")
    return failure(415, "not-json", fmt::format("the content type is '{}', expected application/json", type), "header: content-type");
  if (!is_text(request.body)) return failure(400, "not-text", "the body is not UTF-8 text", "body");
  if (too_deep(request.body)) return failure(400, "bad-json", fmt::format("the body nests deeper than {} levels", kDeepestBody), "body");
  try {
    request.json = nlohmann::json::parse(request.body.empty() ? "{}" : request.body);
  } catch (const nlohmann::json::parse_error& e) {
    return failure(400, "bad-json", fmt::format("the body is not JSON at byte {}", e.byte), "body");
  } catch (const nlohmann::json::out_of_range&) {
    return failure(400, "bad-json", "the body holds a number beyond 1.8e308, the largest that a double can be", "body");
  }
  if (!request.json.is_object())
    return failure(400, "bad-json",
                   fmt::format("the body is {} {}, expected an object", request.json.is_array() ? "an" : "a", request.json.type_name()),
                   "body");
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> safe_headers() {
  return {{"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"}};
}

std::string page_policy(const std::string& nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'self'; style-src 'self'{}; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
      "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      nonce.empty() ? "" : fmt::format(" 'nonce-{}'", nonce));
}

}  // namespace warpbook::serve
