#pragma once
// Results as JSON and back. The same form travels from a case's process to the judge, into the store, and into `--json` reports, so what a
// report says is what was found. Its schema is judge/report/result.schema.json; kSchemaVersion grows when a reader would notice.
#include <nlohmann/json.hpp>

#include "judge/base/error.hpp"
#include "judge/grade/result.hpp"

namespace warpbook::grade {

inline constexpr int kSchemaVersion = 1;

nlohmann::json to_json(const CaseResult& result);
nlohmann::json to_json(const SubmissionResult& result);

/// The error says which member is missing or of the wrong kind.
Result<CaseResult> case_from_json(const nlohmann::json& json);
Result<CaseResult> case_from_text(const std::string& text);
/// Verdict, cases, findings, vetoes, medal and provenance; answers and score are left out (they are computed where the answers are).
Result<SubmissionResult> submission_from_text(const std::string& text);

}  // namespace warpbook::grade
