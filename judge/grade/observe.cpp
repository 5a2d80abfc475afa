#include "judge/grade/observe.hpp"

#include <chrono>
#include <cstring>

#include "judge/grade/case_jobs.hpp"
#include "judge/grade/pool.hpp"
#include "judge/grade/result_json.hpp"

namespace warpbook::grade {
namespace {

/// A backstop: a case that needs longer tells nothing about a mistake.
constexpr std::chrono::seconds kWallLimit{20};

}  // namespace

std::vector<Observations> observe(const task::Task& task, const std::vector<task::Case>& cases,
                                  const std::vector<toolchain::Artifact>& artifacts, const GradeOptions& options) {
  std::vector<Observations> out(artifacts.size());
  // Read here, an image is there in every process that is forked.
  std::vector<Result<vgpu::ImagePointer>> images;
  for (const toolchain::Artifact& artifact : artifacts) images.push_back(load_image(artifact));
  const auto job = [&](int i) {
    const toolchain::Artifact& artifact = artifacts[static_cast<std::size_t>(i)];
    const Result<vgpu::ImagePointer>& image = images[static_cast<std::size_t>(i)];
    Observations seen;
    for (std::size_t c = 0; image && c < cases.size(); ++c) seen.push_back(run_on_vgpu(task, cases[c], artifact, *image, options));
    return pack(seen);
  };
  const auto done = [&](int i, const JobEnd& end) {
    std::optional<Observations> seen = end.ok ? unpack(end.text) : std::nullopt;
    if (seen && seen->size() == cases.size()) out[static_cast<std::size_t>(i)] = std::move(*seen);
  };
  run_pool(static_cast<int>(artifacts.size()), {options.jobs, kWallLimit}, job, done);
  return out;
}

// A line of JSON, then the values as bytes: text forms of NaN payloads and of a million doubles are slow and not needed between two
// processes of one program.
std::string pack(const Observations& observations) {
  nlohmann::json head = nlohmann::json::array();
  std::string values;
  for (const CaseResult& r : observations) {
    nlohmann::json answers = nlohmann::json::array();
    for (const Answer& a : r.answers) {
      answers.push_back({{"tensor", a.tensor}, {"cols", a.cols}, {"count", a.values.size()}});
      values.append(reinterpret_cast<const char*>(a.values.data()), a.values.size() * sizeof(double));
    }
    head.push_back({{"result", to_json(r)}, {"answers", answers}});
  }
  return head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n" + values;
}

std::optional<Observations> unpack(std::string_view text) {
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return std::nullopt;
  const nlohmann::json head = nlohmann::json::parse(text.substr(0, line), nullptr, false);
  std::string_view values = text.substr(line + 1);
  if (!head.is_array()) return std::nullopt;
  Observations out;
  try {
    for (const nlohmann::json& one : head) {
      Result<CaseResult> result = case_from_json(one.at("result"));
      if (!result) return std::nullopt;
      for (const nlohmann::json& a : one.at("answers")) {
        Answer answer{a.at("tensor"), a.at("cols"), std::vector<double>(a.at("count").get<std::size_t>())};
        const std::size_t bytes = answer.values.size() * sizeof(double);
        if (values.size() < bytes) return std::nullopt;
        std::memcpy(answer.values.data(), values.data(), bytes);
        values.remove_prefix(bytes);
        result->answers.push_back(std::move(answer));
      }
      out.push_back(std::move(*result));
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return out;
}

}  // namespace warpbook::grade
