#pragma once
// The gradebook for other programs.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "judge/classroom/gradebook.hpp"

namespace warpbook::classroom {

/// A column: the task as it is called and what it is worth at most. In the order of the cells.
struct GradebookTask {
  std::string id, title;
  double of = 10;
};

/// RFC 4180, CRLF, UTF-8: login, name, the points of each task (header: its id), total, provisional (how many of the points' tasks wait for
/// a person). Nothing tried: an empty cell. A cell that a spreadsheet would take for a formula (= + - @ TAB CR in front) gets an
/// apostrophe.
std::string gradebook_csv(const std::vector<GradebookTask>& tasks, const std::vector<GradebookRow>& rows);

/// A list with one object a learner: Gradescope's autograder results.json (score, tests[] with score, max_score, name, output), and the
/// learner's login and name beside them.
nlohmann::json gradebook_gradescope(const std::vector<GradebookTask>& tasks, const std::vector<GradebookRow>& rows);

/// LTI 1.3 Assignment and Grade Services: {"lineItems": [{resourceId, label, scoreMaximum, scores: [score objects]}]}. userId is the login.
/// Nothing tried: no score object.
nlohmann::json gradebook_lms(const std::vector<GradebookTask>& tasks, const std::vector<GradebookRow>& rows);

}  // namespace warpbook::classroom
