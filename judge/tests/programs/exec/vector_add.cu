// Adds two vectors, one thread an element, with every call checked. `vector_add over` forgets the guard of the last block, so that its
// spare threads write past the end; `vector_add twice` frees a pointer again; `vector_add host` follows a device pointer on the host.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                              \
  do {                                                                                           \
    const cudaError_t code = (call);                                                             \
    if (code != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));         \
      std::exit(2);                                                                              \
    }                                                                                            \
  } while (0)

__global__ void add(const float* a, const float* b, float* c, int n, bool guarded) {  // [n] each
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (guarded && i >= n) return;
  c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, bytes));
  CHECK(cudaMalloc(&db, bytes));
  CHECK(cudaMalloc(&dc, bytes));
  CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  if (!std::strcmp(mode, "host")) std::printf("%g\n", da[3]);
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n, std::strcmp(mode, "over") != 0);
  CHECK(cudaGetLastError());
  const cudaError_t ran = cudaDeviceSynchronize();
  std::printf("ran: %s\n", cudaGetErrorName(ran));
  if (ran != cudaSuccess) return 0;
  CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
  std::printf("c[999] = %g\n", c[999]);
  CHECK(cudaFree(da));
  if (!std::strcmp(mode, "twice")) cudaFree(da);
  CHECK(cudaFree(db));
  if (std::strcmp(mode, "leak")) CHECK(cudaFree(dc));
  char line[64];
  if (!std::strcmp(mode, "echo") && std::fgets(line, sizeof line, stdin)) std::printf("read %s", line);
  return !std::strcmp(mode, "five") ? 5 : 0;
}
