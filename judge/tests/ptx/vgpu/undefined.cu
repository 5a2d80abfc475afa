// Kernels that meet values nobody computed. Where that is a mistake, the line that the finding must name carries the mark `// here`;
// kernels without a mark only carry such values about, which is none.
struct Padded {
  char tag;
  double value;
};

extern "C" __global__ void stored(const float* a, float* out) {
  out[threadIdx.x] = a[threadIdx.x] * 2;  // here
}
extern "C" __global__ void copied(const float* a, float* out) {
  out[threadIdx.x] = a[threadIdx.x];  // here
}
extern "C" __global__ void branched(const int* a, int* out) {
  int count = 1;
  if (a[threadIdx.x] > 3) {  // here
    for (int i = 0; i < 7; ++i) count += out[i];
  }
  out[threadIdx.x] = count;
}
extern "C" __global__ void addressed(const int* index, const float* a, float* out) {
  const int at = index[threadIdx.x];
  out[threadIdx.x] = a[at];  // here
}
extern "C" __global__ void shuffled(float* out) {
  __shared__ float s[32];
  if (threadIdx.x < 8) s[threadIdx.x] = 1;
  __syncthreads();
  float v = s[threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 16);  // here
  if (threadIdx.x == 0) out[0] = v;
}
extern "C" __global__ void shared_stored(float* out) {
  __shared__ float s[64];
  if (threadIdx.x < 8) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];  // here
}
extern "C" __global__ void local_stored(float* out, int set, int get) {
  float a[8];
  a[set] = 1;
  out[threadIdx.x] = a[get];  // here
}
extern "C" __global__ void unset(const float* a, float* out, int n) {
  float v;
  if ((int)threadIdx.x < n) v = a[threadIdx.x];
  out[threadIdx.x] = v;  // here
}
extern "C" __global__ void accumulated(const float* a, float* sum) {
  atomicAdd(sum, a[threadIdx.x]);  // here
}

// Not mistakes.
extern "C" __global__ void padding(const Padded* a, Padded* out) { out[threadIdx.x] = a[threadIdx.x]; }
extern "C" __global__ void unused_tail(const float4* a, float* out) {
  const float4 v = a[threadIdx.x];  // .z and .w of the last one were never written
  out[threadIdx.x * 2] = v.x;
  out[threadIdx.x * 2 + 1] = v.y;
}
extern "C" __global__ void chosen(const float* a, float* out, int n) {
  __shared__ float s[32];
  if ((int)threadIdx.x < n) s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  const float v = s[threadIdx.x];
  out[threadIdx.x] = (int)threadIdx.x < n ? v : 0.0f;
}
extern "C" __global__ void bytes_apart(const unsigned* a, unsigned char* out) {
  const unsigned word = a[threadIdx.x];  // only its second byte is written
  out[threadIdx.x] = (unsigned char)(word >> 8);
}
extern "C" __global__ void last_lanes_idle(const float* a, float* out, int n) {
  float v;
  if ((int)threadIdx.x < n) v = a[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(0xffffffffu, v, offset);
    if ((int)threadIdx.x + offset < n) v += other;
  }
  if (threadIdx.x == 0) out[0] = v;
}
extern "C" __global__ void written_first(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
