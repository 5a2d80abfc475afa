// Asks for what is refused, and carries on: nothing that a kernel did is wrong, and yet the program is not right.
#include <cstdio>

int main() {
  int* memory = nullptr;
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&memory, size_t{1} << 60)));
  std::printf("%s\n", cudaGetErrorName(cudaMemset(reinterpret_cast<void*>(4096), 0, 16)));
}
