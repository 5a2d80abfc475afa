#include "judge/store/result_summary.hpp"

#include <nlohmann/json.hpp>

namespace warpbook::store {
namespace {

/// The text under a key; empty when it is no text, or holds a NUL, which a database could not keep.
std::string text_under(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  const auto& text = found->get_ref<const std::string&>();
  return text.find('\0') == std::string::npos ? text : std::string();
}

}  // namespace

ResultSummary summary_of(const std::string& result_json) {
  ResultSummary summary;
  const nlohmann::json result = nlohmann::json::parse(result_json, nullptr, false);
  if (!result.is_object()) return summary;
  summary.reason = text_under(result, "reason");
  if (const auto diagnosis = result.find("diagnosis"); diagnosis != result.end()) {
    summary.mistake = text_under(*diagnosis, "name");
    summary.mistake_sentence = text_under(*diagnosis, "mistake");
  }
  const auto cases = result.find("cases");
  if (cases == result.end() || !cases->is_array()) return summary;
  for (const nlohmann::json& one : *cases) {
    std::string name = text_under(one, "name"), verdict = text_under(one, "verdict");
    if (name.empty() || verdict.empty()) continue;
    summary.names.push_back(std::move(name));
    summary.kinds.push_back(text_under(one, "kind"));
    summary.abouts.push_back(text_under(one, "about"));
    summary.verdicts.push_back(std::move(verdict));
  }
  return summary;
}

}  // namespace warpbook::store
