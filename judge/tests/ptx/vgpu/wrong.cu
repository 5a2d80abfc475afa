// Kernels that do what they must not. The line that each finding must name carries the mark `// here`.
extern "C" __global__ void past_the_end(float* a) {
  a[threadIdx.x + 1000] = 1;  // here
}
extern "C" __global__ void tail(const float4* a, float* out) {
  float4 v = a[threadIdx.x];  // here
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
extern "C" __global__ void misaligned(char* a) {
  *(int*)(a + 1) = 3;  // here
}
extern "C" __global__ void past_shared(float* out) {
  extern __shared__ float s[];
  s[threadIdx.x + 64] = 1;  // here
  out[threadIdx.x] = s[threadIdx.x + 64];
}
extern "C" __global__ void between_shared(int* out, int at) {
  __shared__ int a[8];
  __shared__ int b[8];
  a[threadIdx.x] = 1;
  b[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x + at] + b[threadIdx.x];  // here
}
extern "C" __global__ void past_local(int* out, int at) {
  volatile int a[8];
  for (int i = 0; i < 8; ++i) a[i] = i;
  out[0] = a[at];  // here
}
extern "C" __global__ void null(int* a) {
  a[2] = 1;  // here
}
extern "C" __global__ void constant_input(float* in) {
  atomicAdd(in, 1.0f);  // here
}
extern "C" __global__ void part_of_the_block(int* out) {
  if (threadIdx.x < 40) __syncthreads();  // here
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void odd_lanes(int* out) {
  if (threadIdx.x & 1) __syncthreads();  // here
  out[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void not_in_mask(int* out) {
  if (threadIdx.x < 17) {
    __syncwarp(0xffff);  // here
    out[threadIdx.x] = threadIdx.x;
  }
}
extern "C" __global__ void half_shuffles(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffffffu, (int)threadIdx.x, 3);  // here
}
extern "C" __global__ void absent_lane(int* out) {
  out[threadIdx.x] = __shfl_down_sync(0xffffffffu, (int)threadIdx.x, 16);  // here
}
extern "C" __global__ void early_return(int* out, int n) {
  if (threadIdx.x >= n) return;
  int v = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);  // here
  out[threadIdx.x] = v;
}
extern "C" __global__ void wait_for_nobody(int* out) {
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");  // here
  out[threadIdx.x] = 1;
}
extern "C" __global__ void spin_alone(volatile int* flag) {
  while (*flag == 0) {  // here
  }
}
extern "C" __global__ void endless(int* out) {
  unsigned i = out[0];
  while (true) {
    i = i * 1664525u + 1013904223u;
    if (i == 3 && out[1] == 77) break;  // here
  }
  out[0] = i;
}
