// The kernels of the committed fat binaries; how they were made stands in README.md beside this folder.
static __constant__ float table[4];
namespace {
__global__ void scale(float* p, int n) {
  if (threadIdx.x < n) p[threadIdx.x] *= table[threadIdx.x & 3];
}
}  // namespace
__global__ void plain(int* p) { p[threadIdx.x] = threadIdx.x; }
void use() { scale<<<1, 1>>>(nullptr, 0); }
