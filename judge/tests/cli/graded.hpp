#pragma once
// `judge run` with its machine-readable result beside its words.
#include <nlohmann/json.hpp>
#include <string>

#include "judge/tests/cli/home.hpp"

namespace warpbook::cli {

struct Graded {
  Said said;
  nlohmann::json result;  ///< what --json wrote; it was checked against judge/report/result.schema.json
  std::string verdict() const { return result.at("verdict"); }
  /// Of the first case, or of the whole when no case was run.
  std::string reason() const { return result.at("cases").empty() ? result.at("reason") : result.at("cases").at(0).at("reason"); }
};

/// `judge run WORDS --json result.json`
Graded grade(const Home& home, Words words);

/// Reads the result that `judge run --json result.json` wrote and checks it against the schema.
nlohmann::json checked_result(const Home& home);

/// Writes `text` as the learner's file of lesson 05 and grades it on one small case.
Graded grade_layernorm(const Home& home, const std::string& text);
/// The same on every case; such a run is recorded.
Graded grade_whole_layernorm(const Home& home, const std::string& text);
/// The same as the first for row-softmax.
Graded grade_softmax(const Home& home, const std::string& text);

}  // namespace warpbook::cli
