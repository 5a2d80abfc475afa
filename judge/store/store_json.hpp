#pragma once
// What a Store takes and gives, as JSON: for the socket between a run and the server that records it. The from_* functions throw nlohmann's
// exceptions on what is not as agreed: their one caller catches them.
#include <nlohmann/json.hpp>

#include "judge/store/store.hpp"

namespace warpbook::store {

void to_json(nlohmann::json& j, const NewAttempt& attempt);
void from_json(const nlohmann::json& j, NewAttempt& attempt);
void to_json(nlohmann::json& j, const RecordedMeasurement& measurement);
void from_json(const nlohmann::json& j, RecordedMeasurement& measurement);
void to_json(nlohmann::json& j, const AttemptOutcome& outcome);
void from_json(const nlohmann::json& j, AttemptOutcome& outcome);
void to_json(nlohmann::json& j, const Attempt& attempt);
void from_json(const nlohmann::json& j, Attempt& attempt);
void to_json(nlohmann::json& j, const ShownHint& hint);
void from_json(const nlohmann::json& j, ShownHint& hint);
void to_json(nlohmann::json& j, const AnsweredQuestion& answer);
void from_json(const nlohmann::json& j, AnsweredQuestion& answer);
void to_json(nlohmann::json& j, const Progress& progress);
void from_json(const nlohmann::json& j, Progress& progress);

}  // namespace warpbook::store
