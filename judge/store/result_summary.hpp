#pragma once
// What statistics of a class count, taken out of a result when it is recorded.
#include <string>
#include <vector>

namespace warpbook::store {

struct ResultSummary {
  std::string reason;                                       ///< code; empty: none
  std::string mistake, mistake_sentence;                    ///< the known mistake that it looks like; empty: none
  std::vector<std::string> names, kinds, abouts, verdicts;  ///< one each a case
};

/// Of grade::to_json's text. Whatever is not as expected is left out: a record must not fail by what is only counted.
ResultSummary summary_of(const std::string& result_json);

}  // namespace warpbook::store
