#pragma once
// What can be known of a CUDA program before it is started: whether its kernels come as PTX, and whose runtime library it was linked to.
// Both decide whether the virtual GPU can run it, and a sentence beforehand is better than a failing launch.
#include <filesystem>
#include <string>
#include <vector>

#include "judge/base/error.hpp"

namespace warpbook::cudart {

struct ProgramFile {
  bool has_device_code = false;        ///< a section .nv_fatbin
  std::vector<int> ptx, machine_code;  ///< targets, 80 for compute_80 or sm_80; each once, ascending
  std::vector<std::string> needed;     ///< shared libraries that it names: "libcudart.so.13"
  bool dynamic = false;                ///< it is loaded by the dynamic linker at all
};

/// Reads an executable or shared object (64-bit ELF of this machine's byte order). The error says what the file is instead.
Result<ProgramFile> examine_program(const std::filesystem::path& file);

}  // namespace warpbook::cudart
