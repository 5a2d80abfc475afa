#pragma once
// What `judge bench` says: a row a case in the terminal, and everything with its evidence as JSON.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/gpu/statement.hpp"
#include "judge/grade/result.hpp"
#include "judge/report/style.hpp"

namespace warpbook::commands {

struct BenchCase {
  gpu::Measurement measurement;
  gpu::Statement statement;
};

/// The line above the rows.
std::string bench_head();
/// One case: its figures or why there are none, then remarks; ends with a newline.
std::string bench_row(const BenchCase& c, const report::Style& style);
/// Clocks and temperature over all cases; empty when nobody watched them.
std::string bench_clocks(const std::vector<BenchCase>& cases);

/// The smallest share of the ceiling among the cases that have one, and which case it is of; null when no case has one or when not all
/// cases were measured.
const BenchCase* least_share(const std::vector<BenchCase>& cases);

nlohmann::json bench_json(const grade::SubmissionResult& judged, const std::vector<BenchCase>& cases);

}  // namespace warpbook::commands
