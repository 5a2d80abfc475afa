#include "judge/serve/http.hpp"

#include <fmt/format.h>

namespace warpbook::serve {

const std::string& Request::header(const std::string& name) const {
  static const std::string kNone;
  const auto found = headers.find(name);
  return found == headers.end() ? kNone : found->second;
}

std::string Request::language() const {
  const auto found = query.find("lang");
  return found != query.end() && found->second == "zh" ? "zh" : "en";
}

std::string dumped(const nlohmann::json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

Answer as_json(const nlohmann::json& json, int status) {
  Answer answer;
  answer.status = status;
  answer.body = dumped(json);
  return answer;
}

Answer failure(int status, const std::string& code, const std::string& message, const std::string& where) {
  nlohmann::json error = {{"code", code}, {"message", message}};
  if (!where.empty()) error["where"] = where;
  return as_json({{"error", std::move(error)}}, status);
}

Answer try_again(int status, const std::string& code, const std::string& message, int seconds) {
  Answer answer = as_json({{"error", {{"code", code}, {"message", message}, {"retry_after", seconds}}}}, status);
  answer.headers.emplace_back("Retry-After", std::to_string(seconds));
  return answer;
}

Answer failure(int status, const std::string& code, const Error& error) {
  std::string where = error.where.file;
  if (!where.empty() && error.where.line > 0) where += fmt::format(":{}:{}", error.where.line, error.where.column);
  return failure(status, code, error.what, where);
}

}  // namespace warpbook::serve
