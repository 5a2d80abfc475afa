// golden_write: writes the suite for run_on_gpu into a folder (modules, inputs, plan), or makes results.txt.zst of what came back.
//   golden_write suite FOLDER [ACCEPTED]   ACCEPTED: only the kernels whose names stand there, one a line
//   golden_write results ANSWERS OUT
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "judge/tests/ptx/golden/results.hpp"
#include "judge/tests/ptx/golden/suite.hpp"

using namespace warpbook::golden;

namespace {

constexpr std::size_t kKernelsPerModule = 200;

int write_suite(const std::filesystem::path& folder, const char* accepted_file) {
  std::set<std::string> accepted;
  if (accepted_file != nullptr) {
    std::ifstream file(accepted_file);
    for (std::string name; std::getline(file, name);) accepted.insert(name);
  }
  std::vector<Kernel> all = suite();
  if (!accepted.empty()) std::erase_if(all, [&](const Kernel& kernel) { return !accepted.contains(kernel.name); });
  std::ofstream plan(folder / "plan.txt"), inputs(folder / "inputs.bin", std::ios::binary);
  std::map<std::string, std::size_t> offsets;
  std::size_t written = 0, module = 0;
  for (std::size_t i = 0; i < all.size(); i += kKernelsPerModule, ++module) {
    std::vector<const Kernel*> kernels;
    for (std::size_t k = i; k < std::min(all.size(), i + kKernelsPerModule); ++k) kernels.push_back(&all[k]);
    std::ofstream(folder / fmt::format("m{}.ptx", module)) << module_text(kernels);
    for (const Kernel* kernel : kernels) {
      const std::string input(kernel->input.begin(), kernel->input.end());
      const auto [at, fresh] = offsets.try_emplace(input, written);
      if (fresh) {
        inputs << input;
        written += kernel->input.size();
      }
      plan << fmt::format("{} {} {} {} {} {}\n", module, kernel->name, kernel->threads, at->second, kernel->input.size(),
                          kernel->output_bytes);
    }
  }
  fmt::print("{} kernels in {} modules, {} bytes of operands\n", all.size(), module, written);
  return 0;
}

int write_results(const char* answers_file, const char* out) {
  std::map<std::string, const Kernel*> by_name;
  const std::vector<Kernel> all = suite();
  for (const Kernel& kernel : all) by_name[kernel.name] = &kernel;
  std::ifstream answers(answers_file);
  std::map<std::string, std::string> results;
  for (std::string line; std::getline(answers, line);) {
    std::istringstream words(line);
    std::string name, hex;
    words >> name >> hex;
    if (const auto at = by_name.find(name); at != by_name.end()) results[at->second->key] = hex;
  }
  const auto written = write_results_file(out, results);
  if (!written) {
    fmt::print(stderr, "{}\n", written.error().text());
    return 1;
  }
  fmt::print("{} results\n", results.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "suite" && argc >= 3) return write_suite(argv[2], argc > 3 ? argv[3] : nullptr);
  if (what == "results" && argc == 4) return write_results(argv[2], argv[3]);
  fmt::print(stderr, "golden_write suite FOLDER [ACCEPTED] | results ANSWERS OUT\n");
  return 2;
}
