#include "judge/grade/result_json.hpp"

#include <fmt/format.h>

#include "judge/base/number_json.hpp"
#include "judge/device/fault_json.hpp"
#include "judge/device/meters_json.hpp"

namespace warpbook::grade {
namespace {

using nlohmann::json;

json to_json(const WorstElement& w) {
  return {{"tensor", w.tensor},
          {"row", w.row},
          {"column", w.column},
          {"got", number_to_json(w.got)},
          {"expected", number_to_json(w.expected)},
          {"error", number_to_json(w.error)},
          {"bound", number_to_json(w.bound)},
          {"over", w.over},
          {"total", w.total}};
}

WorstElement worst_from(const json& j) {
  WorstElement w;
  w.tensor = j.at("tensor");
  w.row = j.at("row");
  w.column = j.at("column");
  w.got = number_from_json(j.at("got"));
  w.expected = number_from_json(j.at("expected"));
  w.error = number_from_json(j.at("error"));
  w.bound = number_from_json(j.at("bound"));
  w.over = j.at("over");
  w.total = j.at("total");
  return w;
}

json to_json(const Score& s) {
  return {{"total", s.total()},           {"of", s.of()},
          {"normal", s.normal},           {"normal_of", s.normal_of},
          {"boundary", s.boundary},       {"boundary_of", s.boundary_of},
          {"efficiency", s.efficiency},   {"efficiency_of", s.efficiency_of},
          {"explanation", s.explanation}, {"explanation_of", s.explanation_of},
          {"questions", s.questions},     {"questions_of", s.questions_of}};
}

}  // namespace

json to_json(const CaseResult& r) {
  json passes = json::array();
  for (const PassCount& p : r.passes) passes.push_back({{"tensor", p.tensor}, {"read", p.read}, {"write", p.write}});
  json out = {{"name", r.name},
              {"kind", r.kind == task::CaseKind::kNormal ? "normal" : "boundary"},
              {"about", r.about},
              {"tag", r.tag},
              {"rows", r.rows},
              {"cols", r.cols},
              {"verdict", code_of(r.verdict)},
              {"reason", code_of(r.reason)},
              {"message", r.message},
              {"passes", passes},
              {"blocks", r.blocks},
              {"counters", device::counters_to_json(r.counters)},
              {"output", r.output},
              {"seconds", r.seconds}};
  if (r.worst) out["worst"] = to_json(*r.worst);
  for (const device::KernelMeters& k : r.kernels) out["kernels"].push_back(device::meters_to_json(k));
  if (r.fault) out["fault"] = device::fault_to_json(*r.fault);
  out["remarks"] = json::array();
  for (const device::Fault& f : r.remarks) out["remarks"].push_back(device::fault_to_json(f));
  out["notes"] = r.notes;
  return out;
}

Result<CaseResult> case_from_json(const json& j) {
  try {
    CaseResult r;
    r.name = j.at("name");
    r.kind = j.at("kind") == "normal" ? task::CaseKind::kNormal : task::CaseKind::kBoundary;
    r.about = j.at("about");
    r.tag = j.at("tag");
    r.rows = j.at("rows");
    r.cols = j.at("cols");
    const auto verdict = find_verdict(j.at("verdict").get<std::string>());
    const auto reason = find_reason(j.at("reason").get<std::string>());
    if (!verdict || !reason) return Error{"verdict or reason is not one that this version knows"};
    r.verdict = *verdict;
    r.reason = *reason;
    r.message = j.at("message");
    if (j.contains("worst")) r.worst = worst_from(j.at("worst"));
    if (j.contains("fault")) r.fault = device::fault_from_json(j.at("fault"));
    for (const json& f : j.value("remarks", json::array())) r.remarks.push_back(device::fault_from_json(f));
    r.notes = j.value("notes", std::vector<std::string>{});
    for (const json& p : j.at("passes")) r.passes.push_back({p.at("tensor"), p.at("read"), p.at("write")});
    r.blocks = j.value("blocks", std::int64_t{0});  // older results lack it
    r.counters = device::counters_from_json(j.at("counters"));
    for (const json& k : j.value("kernels", json::array())) r.kernels.push_back(device::meters_from_json(k));
    r.output = j.at("output");
    r.seconds = j.at("seconds");
    return r;
  } catch (const json::exception& e) {
    return Error{fmt::format("a case result is not as agreed: {}", e.what())};
  }
}

Result<CaseResult> case_from_text(const std::string& text) {
  const json j = json::parse(text, nullptr, false);
  if (j.is_discarded()) return Error{"a case result is not JSON"};
  return case_from_json(j);
}

json to_json(const SubmissionResult& r) {
  json cases = json::array(), findings = json::array(), answers = json::array(), vetoes = json::array();
  for (const CaseResult& c : r.cases) cases.push_back(to_json(c));
  for (const Finding& f : r.findings)
    findings.push_back({{"file", f.file}, {"line", f.line}, {"column", f.column}, {"severity", f.severity}, {"message", f.message}});
  for (const AnswerResult& a : r.answers)
    answers.push_back({{"id", a.id},
                       {"points", a.points},
                       {"of", a.of},
                       {"answered", a.answered},
                       {"provisional", a.provisional},
                       {"feedback", a.feedback},
                       {"misconception", a.misconception}});
  for (const Veto& v : r.vetoes) vetoes.push_back({{"reason", code_of(v.reason)}, {"evidence", v.evidence}});
  json out = {{"schema", kSchemaVersion},
              {"task", r.task_id},
              {"title", r.task_title},
              {"file", r.file},
              {"verdict", code_of(r.verdict)},
              {"reason", code_of(r.reason)},
              {"message", r.message},
              {"accepted", r.accepted},
              {"passed", r.passed},
              {"score", to_json(r.score)},
              {"medal", name_of(r.medal)},
              {"medal_reason", r.medal_reason},
              {"cases", cases},
              {"findings", findings},
              {"answers", answers},
              {"vetoes", vetoes},
              {"compile_seconds", r.compile_seconds},
              {"seconds", r.seconds},
              {"provenance",
               {{"seed", r.provenance.seed},
                {"device", r.provenance.device},
                {"toolchain", r.provenance.toolchain},
                {"source_hash", r.provenance.source_hash},
                {"artifact_hash", r.provenance.artifact_hash},
                {"judge_version", r.provenance.judge_version}}}};
  if (!r.provenance.seed_hash.empty()) out["provenance"]["seed_hash"] = r.provenance.seed_hash;
  if (r.diagnosis) {
    const Diagnosis& d = *r.diagnosis;
    out["diagnosis"] = {{"name", d.name}, {"mistake", d.mistake}, {"question", d.question}, {"cases", d.cases}};
  }
  if (r.counter_example) {
    const CounterExample& x = *r.counter_example;
    out["counter_example"] = {{"case", x.of_case}, {"rows", x.rows}, {"cols", x.cols}, {"input", x.input}, {"message", x.message}};
  }
  return out;
}

namespace {

Medal medal_from(const std::string& name) { return find_medal(name).value_or(Medal::kNone); }

SubmissionResult submission_from(const json& j) {
  SubmissionResult r;
  r.task_id = j.at("task");
  r.task_title = j.at("title");
  r.file = j.at("file");
  r.verdict = find_verdict(j.at("verdict").get<std::string>()).value_or(Verdict::kJudgeError);
  r.reason = find_reason(j.at("reason").get<std::string>()).value_or(Reason::kInternal);
  r.message = j.at("message");
  r.accepted = j.at("accepted");
  r.medal = medal_from(j.at("medal"));
  r.medal_reason = j.at("medal_reason");
  for (const json& f : j.at("findings"))
    r.findings.push_back({f.at("file"), f.at("line"), f.at("column"), f.at("severity"), f.at("message"), {}});
  for (const json& v : j.at("vetoes"))
    r.vetoes.push_back({find_reason(v.at("reason").get<std::string>()).value_or(Reason::kInternal), v.at("evidence")});
  r.compile_seconds = j.at("compile_seconds");
  r.seconds = j.at("seconds");
  const json& p = j.at("provenance");
  r.provenance = {p.at("seed"),         p.value("seed_hash", std::string()),
                  p.at("device"),       p.at("toolchain"),
                  p.at("source_hash"),  p.at("artifact_hash"),
                  p.at("judge_version")};
  return r;
}

}  // namespace

Result<SubmissionResult> submission_from_text(const std::string& text) {
  const json j = json::parse(text, nullptr, false);
  if (j.is_discarded()) return Error{"a result is not JSON"};
  try {
    SubmissionResult r = submission_from(j);
    for (const json& c : j.at("cases")) {
      Result<CaseResult> one = case_from_json(c);
      if (!one) return std::move(one).error();
      r.cases.push_back(std::move(*one));
    }
    return r;
  } catch (const json::exception& e) {
    return Error{fmt::format("a result is not as agreed: {}", e.what())};
  }
}

}  // namespace warpbook::grade
