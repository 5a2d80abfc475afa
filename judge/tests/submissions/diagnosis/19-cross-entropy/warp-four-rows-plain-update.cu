// mistake-of: masked-at-the-start
#include <cuda_runtime.h>
#include <math.h>

// one warp a row, four warps a block; maximum and sum in one walk
__global__ void nll_rows(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  const int lane = threadIdx.x;
  const int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= rows) return;
  const float* in = logits + (size_t)row * cols;
  float* out = gradient + (size_t)row * cols;
  const int label = targets[row];
  const bool ignored = label == -100;
  if (ignored || (unsigned)label >= (unsigned)cols) {
    const float fill = ignored ? 0.0f : nanf("");
    for (int c = lane; c < cols; c += 32) out[c] = fill;
    if (lane == 0) loss[row] = fill;
    return;
  }

  float m = -INFINITY, s = 0.0f;
  int c = lane;
  while (c < cols) {
    const float v = in[c];
    const float n = fmaxf(m, v);
    s = s * expf(m - n) + expf(v - n);
    m = n;
    c += 32;
  }
  float top = m;
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  s = m == -INFINITY ? s : s * expf(m - top);
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);

  if (lane == 31) loss[row] = (top - in[label]) + logf(s);
  const float k = scale / s;
  for (c = lane; c < cols; c += 32) out[c] = expf(in[c] - top) * k - (c == label ? scale : 0.0f);
}

cudaError_t launch_cross_entropy(const float* logits, const int* targets, float* loss, float* gradient, int rows, int cols, float scale) {
  nll_rows<<<(rows + 3) / 4, dim3(32, 4)>>>(logits, targets, loss, gradient, rows, cols, scale);
  return cudaGetLastError();
}
