// Memory touched in elements of 1 to 16 bytes, in ways that fill the shadow of memory as far as they can: written once, read by two warps
// and then written, and one row a thread, so that neighbours in memory are touched by different warps at different times.
#define KERNELS(T, NAME, ONE)                                                                                      \
  extern "C" __global__ void write_##NAME(T* p, int n) {                                                           \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = ONE(i);         \
  }                                                                                                                \
  extern "C" __global__ void exchange_##NAME(T* p, int n) {                                                        \
    for (int i = blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {                                    \
      const T own = p[i + threadIdx.x], other = p[i + (threadIdx.x ^ 32)];                                         \
      __syncthreads();                                                                                             \
      p[i + threadIdx.x] = ONE(low(own) + low(other));                                                             \
    }                                                                                                              \
  }                                                                                                                \
  extern "C" __global__ void row_a_thread_##NAME(T* p, int n, int cols) {                                          \
    const int row = blockIdx.x * blockDim.x + threadIdx.x;                                                         \
    for (int col = 0; col < cols && row * cols + col < n; ++col) p[row * cols + col] = ONE(low(p[row * cols + col]) + 1); \
  }                                                                                                                \
  extern "C" __global__ void scattered_##NAME(T* p, int n, int step) {                                             \
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;                                                 \
    for (int i = first; i < first + 4 && i < n; ++i) {                                                             \
      T* at = p + (long long)i * step % n;                                                                         \
      *at = ONE(low(*at) + i);                                                                                     \
    }                                                                                                              \
  }

__device__ int low(unsigned char v) { return v; }
__device__ int low(unsigned short v) { return v; }
__device__ int low(unsigned v) { return v; }
__device__ int low(unsigned long long v) { return static_cast<int>(v); }
__device__ int low(uint4 v) { return static_cast<int>(v.x); }
__device__ uint4 four(int v) { return make_uint4(v, v + 1, v + 2, v + 3); }

KERNELS(unsigned char, u8, static_cast<unsigned char>)
KERNELS(unsigned short, u16, static_cast<unsigned short>)
KERNELS(unsigned, u32, static_cast<unsigned>)
KERNELS(unsigned long long, u64, static_cast<unsigned long long>)
KERNELS(uint4, u128, four)
