// One launch of a kernel on a case that the judge wrote to a file (`judge export`), as a program of its own: for a profiler, a debugger
// or compute-sanitizer, which want a program and not a judge. It launches, waits, and compares nothing.
//
// The file (judge/grade/case_file.hpp writes it; every number has 8 bytes, lowest first):
//   "WBCASE1\n"
//   number of memories; of each: bytes to allocate, number of extents; of each extent: offset, bytes, the bytes
//   number of parameters; of each: 0, number of bytes, the bytes (a value) | 1, memory, offset (a pointer) | 2 (a null pointer)
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace warpbook::kernel {

/// Reads the numbers and bytes of a case file; everything after the end reads as 0, and `good` is false then.
class CaseFile {
 public:
  explicit CaseFile(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) return;
    char buffer[1 << 16];
    for (size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes_.append(buffer, got);
    std::fclose(file);
    good = bytes_.compare(0, kMagic.size(), kMagic) == 0;
    at_ = kMagic.size();
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (const char* from = bytes(sizeof value)) std::memcpy(&value, from, sizeof value);
    return value;
  }
  /// Null when there are not as many.
  const char* bytes(std::uint64_t count) {
    if (!good || count > bytes_.size() - at_) {
      good = false;
      return nullptr;
    }
    at_ += count;
    return bytes_.data() + at_ - count;
  }

  bool good = false;

 private:
  const std::string kMagic = "WBCASE1\n";
  std::string bytes_;
  size_t at_ = 0;
};

/// Marks in a profiler's list where the launches of the next case begin.
__global__ void warpbook_next_case() {}

/// What went wrong, or nothing.
inline std::string launch_case(const char* path, int (*launch)(void* const*)) {
  CaseFile file(path);
  if (!file.good) return "is missing or no case file";
  std::vector<char*> memories(file.number());
  for (char*& memory : memories) {
    if (const cudaError_t error = cudaMalloc(&memory, file.number())) return cudaGetErrorString(error);
    for (std::uint64_t extents = file.number(); file.good && extents > 0; --extents) {
      const std::uint64_t offset = file.number(), count = file.number();
      const char* from = file.bytes(count);
      if (from == nullptr) break;
      if (const cudaError_t error = cudaMemcpy(memory + offset, from, count, cudaMemcpyHostToDevice)) return cudaGetErrorString(error);
    }
  }
  enum : std::uint64_t { kValue, kPointer, kNull };
  // The launch function gets the addresses of its arguments, as cudaLaunchKernel does.
  std::vector<void*> pointers(file.number());
  std::vector<void*> arguments(pointers.size());
  std::vector<std::vector<std::uint64_t>> values(pointers.size());
  for (size_t i = 0; file.good && i < pointers.size(); ++i) {
    arguments[i] = &pointers[i];
    const std::uint64_t kind = file.number();
    if (kind == kValue) {
      const std::uint64_t count = file.number();
      const char* from = file.bytes(count);
      if (from == nullptr) break;
      values[i].resize(count / sizeof(std::uint64_t) + 1);
      std::memcpy(values[i].data(), from, count);
      arguments[i] = values[i].data();
    } else if (kind == kPointer) {
      const std::uint64_t memory = file.number();
      const std::uint64_t offset = file.number();
      if (memory >= memories.size()) return "names a memory that it does not have";
      pointers[i] = memories[memory] + offset;
    }
  }
  if (!file.good) return "ends early";
  warpbook_next_case<<<1, 1>>>();
  auto error = static_cast<cudaError_t>(launch(arguments.data()));
  if (error == cudaSuccess) error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  for (char* memory : memories) cudaFree(memory);
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

/// main() of an exported program: the case files are its arguments.
inline int run_cases(int count, char** paths, int (*launch)(void* const*)) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s CASE-FILE...\n", paths[0]);
    return 2;
  }
  int failed = 0;
  for (int i = 1; i < count; ++i) {
    const std::string trouble = launch_case(paths[i], launch);
    if (trouble.empty()) continue;
    std::fprintf(stderr, "%s: %s\n", paths[i], trouble.c_str());
    failed = 1;
  }
  return failed;
}

}  // namespace warpbook::kernel
