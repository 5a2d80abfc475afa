#include "judge/vgpu/program.hpp"

#include <filesystem>
#include <set>
#include <string>

#include "judge/vgpu/memory.hpp"
#include "judge/vgpu/modules.hpp"
#include "judge/vgpu/test_gpu.hpp"

namespace warpbook::vgpu::testing {

namespace {

/// Spellings of the instructions that the programs of a module refuse, each once.
std::set<std::string> refused(const Program& program) {
  std::set<std::string> spellings;
  for (const ProgramFunction& function : program.functions) {
    for (const Step& step : function.steps) {
      if (step.kind == StepKind::kRefused) spellings.insert(step.instruction->spelling);
    }
  }
  return spellings;
}

}  // namespace

TEST_CASE("whatever nvcc writes for the test kernels decodes") {
  std::size_t kernels = 0;
  std::set<std::string> missing;
  const std::filesystem::path root = std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/ptx";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".ptx" || entry.path().parent_path().filename() == "shapes") continue;
    const Result<std::string> text = read_file(entry.path());
    REQUIRE(text);
    INFO(entry.path().filename().string());
    Result<ImagePointer> image = make_image(*text);
    if (!image) FAIL(image.error().text());
    Memory memory(std::uint64_t{1} << 30);
    Result<std::unique_ptr<LoadedModule>> module = LoadedModule::load(*image, 1, memory);
    if (!module) FAIL(module.error().text());
    for (const std::string& name : entry_names(**image)) {
      const Result<const Program*> program = (*module)->program(name);
      if (!program) FAIL(name << ": " << program.error().text());
      ++kernels;
      missing.merge(refused(**program));
    }
  }
  CHECK(kernels > 100);
  for (const std::string& spelling : missing) {
    INFO(spelling);
    CHECK(spelling.starts_with("mbarrier."));  // comes with cuda::barrier, not yet there
  }
}

TEST_CASE("shared variables lie apart but count as the hardware packs them") {
  TestGpu gpu(test_ptx("vgpu/wrong"));
  device::FunctionInfo info;
  REQUIRE(gpu.gpu->function_info(gpu.module, "between_shared", info).ok());
  CHECK(info.static_shared == 64);
}

}  // namespace warpbook::vgpu::testing
