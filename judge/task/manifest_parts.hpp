#pragma once
// The parts of a manifest, one function each; private to the reader.
#include "common/operators/operator.hpp"
#include "judge/task/task.hpp"
#include "judge/task/xml_reader.hpp"

namespace warpbook::task {

/// Elements of one tensor; 2^33 floats are 32 GiB, more than a case has use for.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 33;

/// What every part needs: the reader that keeps errors, and the operator whose names may be used.
struct ManifestContext {
  XmlReader& reader;
  const operators::Operator& op;
};

/// <cases>: names, shapes, fills, layouts and scalars, checked against the operator. `least`: of normal and of boundary cases.
std::vector<Case> read_cases(const ManifestContext& context, const XmlElement& cases, Count least = Count::kSome);

/// The <fill>, <layout> and <scalar> children of a case.
void read_case_data(const ManifestContext& context, const XmlElement& element, Case& into);

/// <efficiency>: passes over tensors of the operator.
std::vector<PassLimit> read_passes(const ManifestContext& context, const XmlElement& efficiency);
std::vector<BlockLimit> read_block_limits(const ManifestContext& context, const XmlElement& efficiency, const std::vector<Case>& cases);

/// <hints> into the task's blanks: four levels each, and those for particular failures. Needs its cases.
void read_hints(XmlReader& reader, const XmlElement& hints, Task& task);

/// <questions>.
std::vector<Question> read_questions(XmlReader& reader, const Task& task, const XmlElement& questions);

/// <answer> and <reference> of a predict question, whose prompt is read.
void read_prediction(XmlReader& reader, const Task& task, const XmlElement& element, Question& question);

/// Every figure of the learner's own that a question shows or uses is one that a run of this task records.
void check_figures(XmlReader& reader, const Task& task, const XmlElement& element, const Question& question);

/// <explanation>: a text question worth task.points.explain.
Question read_explanation(XmlReader& reader, const Task& task, const XmlElement& explanation);

/// The tensor of that name, or null.
const operators::Tensor* find_tensor(const operators::Operator& op, std::string_view name);

/// The tensor an element's attribute names; an unknown name is an error that lists the operator's tensors.
const operators::Tensor* tensor_of(const ManifestContext& context, const XmlElement& element, std::string_view attribute = "tensor");

/// Attribute `bound`: one of the operator's; empty when absent.
std::string read_bound(const ManifestContext& context, const XmlElement& element);

}  // namespace warpbook::task
