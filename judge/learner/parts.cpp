#include "judge/learner/parts.hpp"

#include <nlohmann/json.hpp>

#include "judge/base/files.hpp"

namespace warpbook::learner {
namespace {

struct Opening {
  std::string from, title;
};

/// [{"from": "01", "title": {"en": ..., "zh": ...}}, ...]; empty when the file is not as agreed.
std::vector<Opening> openings_of(const Workbook& workbook) {
  const Result<std::string> text = read_file(workbook.root / "lessons" / "parts.json");
  if (!text) return {};
  const nlohmann::json parts = nlohmann::json::parse(*text, nullptr, false);
  std::vector<Opening> out;
  if (!parts.is_array()) return out;
  for (const nlohmann::json& part : parts) {
    if (!part.is_object() || !part.contains("from") || !part["from"].is_string() || !part.contains("title") || !part["title"].is_object())
      return {};
    const nlohmann::json& titles = part["title"];
    const nlohmann::json title = titles.contains(workbook.language) ? titles[workbook.language] : titles.value("en", nlohmann::json());
    if (!title.is_string()) return {};
    out.push_back({part["from"], title});
  }
  return out;
}

}  // namespace

std::vector<Part> parts_of(const Workbook& workbook, const std::vector<task::Task>& tasks) {
  const bool chinese = workbook.language == "zh";
  const std::vector<Opening> openings = openings_of(workbook);
  std::vector<Part> parts;
  const auto part_with = [&](const std::string& title) -> Part& {
    if (parts.empty() || parts.back().title != title) parts.push_back({title, {}});
    return parts.back();
  };
  for (const task::Task& task : tasks) {
    std::string title = chinese ? "课程" : "Lessons";
    for (const Opening& opening : openings)
      if (task.id >= opening.from) title = opening.title;
    if (task.kind == task::TaskKind::kExercise) title = chinese ? "开放题" : "Open problems";
    part_with(title).tasks.push_back(&task);
  }
  return parts;
}

}  // namespace warpbook::learner
