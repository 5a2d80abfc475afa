#pragma once
// For tests: openapi.json, and whether an answer is as it says.
#include "judge/base/files.hpp"
#include "judge/serve/served.hpp"
#include "judge/tests/cli/json_schema.hpp"

namespace warpbook::serve {

/// judge/serve/openapi.json
inline nlohmann::json api_document() {
  const Result<std::string> text = read_file(std::filesystem::path(WARPBOOK_SOURCE_DIR) / "judge/serve/openapi.json");
  REQUIRE(text);
  const nlohmann::json parsed = nlohmann::json::parse(*text, nullptr, false);
  REQUIRE(parsed.is_object());
  return parsed;
}

/// Whether an operation exists in a class only.
inline bool is_of_class(const nlohmann::json& operation) { return operation.contains("tags") && operation["tags"][0] == "class"; }

/// Whether an operation answers with a stream of events.
inline bool is_stream(const nlohmann::json& operation) {
  const nlohmann::json& responses = operation["responses"];
  return responses.contains("200") && responses["200"].contains("content") && responses["200"]["content"].contains("text/event-stream");
}

inline std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

/// A schema of the document as one that stands alone.
inline nlohmann::json alone(const nlohmann::json& document, const nlohmann::json& schema) {
  nlohmann::json whole = schema;
  whole["$defs"] = document["components"]["schemas"];
  return nlohmann::json::parse(replaced_all(whole.dump(), "#/components/schemas/", "#/$defs/"));
}

/// "/api/tasks/{id}" with the examples of the document, or what the test knows better.
inline std::string address(std::string path, const nlohmann::json& operation, const std::map<std::string, std::string>& known) {
  for (const nlohmann::json& parameter : operation["parameters"]) {
    if (parameter["in"] != "path") continue;
    const std::string name = parameter["name"];
    const auto better = known.find(name);
    path = replaced_all(path, "{" + name + "}", better != known.end() ? better->second : parameter["example"].get<std::string>());
  }
  REQUIRE(path.find('{') == std::string::npos);
  return path;
}

/// What in an answer is not as the document says.
inline std::vector<std::string> faults(const nlohmann::json& document, const nlohmann::json& operation, const Reply& reply) {
  const std::string status = std::to_string(reply.status);
  if (!operation["responses"].contains(status)) return {"status " + status + " is not in the document: " + reply.body.substr(0, 300)};
  const nlohmann::json& response = operation["responses"][status];
  if (!response.contains("content")) return reply.body.empty() ? std::vector<std::string>{} : std::vector<std::string>{"has a body"};
  const std::string type = reply.header("content-type").substr(0, reply.header("content-type").find(';'));
  if (!response["content"].contains(type)) return {"type " + type + " is not in the document"};
  if (type != "application/json") return {};
  return cli::disagreements(alone(document, response["content"][type]["schema"]), reply.json());
}

}  // namespace warpbook::serve
