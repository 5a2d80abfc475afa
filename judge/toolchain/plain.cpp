// nvcc does it all: the road for toolkits whose single commands are not the ones we know (plan.cpp). Two calls side by side, one for the
// PTX that goes beside, one for the object; then nvcc links. Nothing is cached but the whole. Inline assembly is checked by ptxas here,
// too.
#include <fmt/format.h>

#include <thread>

#include "judge/toolchain/halves.hpp"

namespace warpbook::toolchain {
namespace {

/// common_flags() with machine code for the GPUs here added.
Words flags_with_code(const Job& job) {
  Words words = common_flags();
  for (const int capability : job.native) {
    words.emplace_back("-gencode");
    words.push_back(fmt::format("arch=compute_{},code=sm_{}", job.by_architecture ? capability : 80, capability));
  }
  for (const auto& folder : job.include) words.push_back("-I" + folder.string());
  return words;
}

Words nvcc(const Job& job, std::initializer_list<std::string> what) {
  Words words = {job.toolkit->nvcc.string()};
  const Words flags = flags_with_code(job);
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), what);
  return words;
}

}  // namespace

Built build_by_nvcc(Steps& steps, const Job& job) {
  Built built;
  std::thread device([&] {
    Words words = {job.toolkit->nvcc.string(), "-ptx", "-arch=compute_80", "-std=c++17", "-O3", "-lineinfo"};
    for (const auto& folder : job.include) words.push_back("-I" + folder.string());
    words.insert(words.end(), {kUnit, "-o", kUnitPtx});
    const std::string ptxas = (job.toolkit->root / "bin" / "ptxas").string();
    const bool made =
        steps.run(words, Speaker::kDriver, built.device) && tidy_ptx(steps, built.device) &&
        steps.run({ptxas, "-arch=sm_80", "-m64", "--generate-line-info", kUnitPtx, "-o", "unit.cubin"}, Speaker::kAssembler, built.device);
    if (!made) steps.cancel();
  });
  // Kept in a folder of their own: what the preprocessors read is looked at afterwards (reach.hpp).
  std::error_code ignored;
  std::filesystem::create_directory(steps.folder() / kKeptFolder, ignored);
  steps.run(nvcc(job, {"--keep", "--keep-dir", kKeptFolder, "-c", kUnit, "-o", kUnitHostObject}), Speaker::kDriver, built.host) &&
      steps.run(
          nvcc(job, {"-shared", "-cudart", "shared", "-Xlinker", "-z,defs", "-Xlinker", "-Bsymbolic", kUnitHostObject, "-o", kLibrary}),
          Speaker::kLinker, built.link);
  device.join();
  return built;
}

}  // namespace warpbook::toolchain
