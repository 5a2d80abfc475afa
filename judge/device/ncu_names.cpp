#include "judge/device/ncu_names.hpp"

namespace warpbook::device {

std::vector<std::pair<std::string, std::uint64_t>> as_ncu_metrics(const Counters& c) {
  const auto requests = [](const std::string& what) { return "l1tex__t_requests_pipe_lsu_mem_" + what + ".sum"; };
  const auto sectors = [](const std::string& what) { return "l1tex__t_sectors_pipe_lsu_mem_" + what + ".sum"; };
  return {{requests("global_op_ld"), c.global_load_requests},
          {sectors("global_op_ld"), c.global_load_sectors},
          {requests("global_op_st"), c.global_store_requests},
          {sectors("global_op_st"), c.global_store_sectors},
          {requests("global_op_atom"), c.global_atomic_requests},
          {sectors("global_op_atom"), c.global_atomic_sectors},
          {requests("global_op_red"), c.global_reduction_requests},
          {sectors("global_op_red"), c.global_reduction_sectors},
          {requests("local_op_ld"), c.local_load_requests},
          {sectors("local_op_ld"), c.local_load_sectors},
          {requests("local_op_st"), c.local_store_requests},
          {sectors("local_op_st"), c.local_store_sectors},
          {"memory_l2_theoretical_sectors_global", c.global_sectors},
          {"memory_l2_theoretical_sectors_global_ideal", c.global_ideal_sectors},
          {"memory_l1_tag_requests_global", c.global_lines},
          {"memory_l1_wavefronts_shared", c.shared_wavefronts},
          {"memory_l1_wavefronts_shared_ideal", c.shared_ideal_wavefronts}};
}

std::string plain_kernel_name(std::string name) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (auto at = name.find(from); at != std::string::npos; at = name.find(from)) name.replace(at, from.size(), to);
  };
  replace("(anonymous namespace)::", "");
  replace("<unnamed>::", "");
  replace("void ", "");
  replace("<true>", "<1>");
  replace("<false>", "<0>");
  return name.substr(0, name.find('('));
}

}  // namespace warpbook::device
