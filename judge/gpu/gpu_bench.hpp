#pragma once
// A bench on a real GPU. The judge's process owns the memory: it allocates, fills, and reads back; the worker opens it by CUDA's
// inter-process handles and launches. Nothing but the red zones and the outputs tells what a kernel did, so faults that hardware does not
// show are not seen here.
#include <memory>

#include "judge/grade/bench.hpp"

namespace warpbook::gpu {

/// Opens the GPU in the calling process, which must not fork afterwards. Failures surface as errors of the bench's calls.
/// `toolkit_root` is where NVIDIA's libcudart.so lies, below lib64.
std::unique_ptr<grade::Bench> make_gpu_bench(const std::filesystem::path& toolkit_root);

}  // namespace warpbook::gpu
