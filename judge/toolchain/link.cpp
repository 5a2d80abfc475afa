// The last step: a shared object.
//
// libcudart. The object names libcudart.so.N, with the symbols' version, as every CUDA program does (-lcudart, no rpath); nothing of it is
// linked in. Whose library that is, the worker decides when it starts: with LD_LIBRARY_PATH on our folder it is the virtual GPU's, without,
// NVIDIA's, and if the worker itself is linked to either, the loader takes the one that is there already, since both carry that
// name. Rejected: leaving the symbols undefined without naming a library. It binds too, but an object that needs libcudart would
// load without complaint where there is none, and fail at the first call.
//
// Undefined symbols are an error here (-z defs), with the function's name, rather than a failure of dlopen in the worker.
//
// -Bsymbolic: a learner's function called like one of the worker's means the learner's.
//
// GNU ld takes 0.15 s, most of it reading libstdc++ and libm; gold and mold take 0.05 s and are used where installed (gold comes with
// Debian's binutils).
#include <cstdlib>

#include "judge/toolchain/find.hpp"
#include "judge/toolchain/halves.hpp"

namespace warpbook::toolchain {
namespace {

const char* quick_linker() {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return nullptr;
  if (!program_in_path("ld.gold", path).empty()) return "-fuse-ld=gold";
  if (!program_in_path("ld.mold", path).empty()) return "-fuse-ld=mold";
  return nullptr;
}

}  // namespace

bool link_library(Steps& steps, const Job& job, const std::string& compiler, const std::vector<std::string>& objects, Part& part) {
  Words words = {compiler, "-shared"};
  if (const char* linker = quick_linker()) words.emplace_back(linker);
  words.insert(words.end(), {"-Wl,-z,defs", "-Wl,-Bsymbolic"});
  words.insert(words.end(), objects.begin(), objects.end());
  words.insert(words.end(), {"-o", kLibrary, "-L" + (job.toolkit->root / "lib64").string(),
                             "-L" + (job.toolkit->root / "targets/x86_64-linux/lib").string(), "-lcudart", "-lstdc++", "-lm"});
  return steps.run(words, Speaker::kLinker, part);
}

}  // namespace warpbook::toolchain
