#pragma once
// The cases of a task, side by side in processes of their own.
#include <vector>

#include "judge/grade/submission.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::grade {

/// The device code of an artifact, read and decoded once; processes that are forked afterwards share it.
Result<vgpu::ImagePointer> load_image(const toolchain::Artifact& artifact);

/// One case on the virtual GPU, in this process: in order, and where the order can matter in two others as well. The case's failing call
/// fails. `image` is the artifact's; `answers` of the result holds the values that came back.
CaseResult run_on_vgpu(const task::Task& task, const task::Case& c, const toolchain::Artifact& artifact, const vgpu::ImagePointer& image,
                       const GradeOptions& options);

/// Runs the chosen cases and returns their results in the manifest's order. A case whose process dies is a judge error.
std::vector<CaseResult> run_cases(const task::Task& task, const toolchain::Artifact& artifact, const GradeOptions& options);

}  // namespace warpbook::grade
