#include "judge/grade/add_occupancy.hpp"

#include "judge/toolchain/resources.hpp"
#include "judge/vgpu/vgpu.hpp"

namespace warpbook::grade {

std::string add_occupancy(std::vector<CaseResult>& results, const toolchain::Artifact& artifact, const GradeOptions& options) {
  const device::Properties properties = vgpu::Options{}.properties;
  const auto resources = toolchain::kernel_resources(options.toolkit, artifact.ptx, properties.major * 10 + properties.minor);
  if (!resources) return resources.error().what;
  for (CaseResult& result : results) {
    for (device::KernelMeters& kernel : result.kernels) {
      const auto found = resources->find(kernel.entry);
      if (found == resources->end()) continue;
      kernel.occupancy = device::occupancy_of(static_cast<int>(kernel.block.count()), found->second.registers,
                                              kernel.static_shared + kernel.dynamic_shared, properties);
      kernel.occupancy->spilled_bytes = found->second.spilled_bytes;
    }
  }
  return "";
}

}  // namespace warpbook::grade
