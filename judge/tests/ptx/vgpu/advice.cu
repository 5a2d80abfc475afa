// Mistakes whose report must say what to do about them. The line that the finding must name carries the mark `// here`.
extern "C" __global__ void look_then_claim(int* word, int* out) {
  if (*word == 0 && atomicCAS(word, 0, 1) == 0) out[0] = 7;  // here
}
extern "C" __global__ void reset_and_count(int* word) {
  if (threadIdx.x == 0) *word = 0;  // here
  else if (threadIdx.x == 1 || threadIdx.x == 33) atomicAdd(word, 1);
}
extern "C" __global__ void count(int* word) {
  atomicAdd(word, 1);
}
extern "C" __global__ void shift(int* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;
  __syncwarp();
  if (i > 0) a[i - 1] += 1;  // here
}
extern "C" __global__ void increment(int* a) {
  a[threadIdx.x]++;  // here
}
extern "C" __global__ void read_here_write_there(int* a) {
  const int before = ((volatile int*)a)[threadIdx.x];
  __syncthreads();
  ((volatile int*)a)[threadIdx.x] = before + 1;
}
typedef float (*Operation)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }
__device__ Operation operations[3] = {twice, half_of, nullptr};
extern "C" __global__ void call_by_table(float* x, const int* which) {
  Operation operation = operations[which[threadIdx.x]];
  x[threadIdx.x] = operation(x[threadIdx.x]);  // here
}
extern "C" __global__ void folded_store(int n) {
  int* nowhere = nullptr;
  if (n > 3) *nowhere = n;  // here
}
extern "C" __global__ void each_other(volatile int* flag) {
  if (threadIdx.x == 0) {
    while (flag[1 - blockIdx.x] == 0) {  // here
    }
    flag[blockIdx.x] = 1;
  }
  __syncthreads();
}
