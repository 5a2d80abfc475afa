// mistake-of: rounded-twice
// RMSNorm of half and of bfloat16 rows, one block a row: 16 bits in memory, float in between, one rounding at the end.
//
// The idea: a row of 16-bit numbers is half the bytes, and the bytes are what a row kernel waits for. But 16 bits are for storing, not
// for computing: half ends at 65504 (the square of 256 is beyond it), bfloat16 has eight significant bits (a sum of ones stops growing
// at 256). So every element is widened to float when it is read; squares, sum, scale and weight are float; the result is rounded
// once, to nearest, when it is written. Two elements a load: a pair fills the four bytes that a lane moves at its best.
//
// One template serves both types: what differs between them is how a pair is widened and rounded. The launch function takes the tensors
// of both, and those of a type that is not asked for are null.
// Still bad: the row is read twice (lesson 07), and rows of odd length, in which every second row starts between two pairs, go element
// by element.
//
// Run it: ./workbook run 17
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "common/kernel/reduce.cuh"
#include "common/kernel/watch.cuh"

namespace {

using warpbook::kernel::block_reduce;
using warpbook::kernel::kMaxWarps;
using warpbook::kernel::Sum;

constexpr int kThreads = 128;  // a multiple of 32, as block_reduce asks

// region types
/// Widening is exact: every half and every bfloat16 is a float. Narrowing rounds to nearest, ties to even.
__device__ float widen(__half v) { return __half2float(v); }
__device__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ float2 widen(__half2 v) { return __half22float2(v); }
__device__ float2 widen(__nv_bfloat162 v) { return __bfloat1622float2(v); }
__device__ void narrow(float v, __half& out) { out = __float2half_rn(v); }
__device__ void narrow(float v, __nv_bfloat16& out) { out = __float2bfloat16_rn(v); }
__device__ void narrow(float2 v, __half2& out) { out = __float22half2_rn(v); }
__device__ void narrow(float2 v, __nv_bfloat162& out) { out = __float22bfloat162_rn(v); }
// endregion types

/// Whether pairs of 16-bit elements may be read or written from here on.
__device__ bool starts_on_pair(const void* place) { return reinterpret_cast<std::uintptr_t>(place) % 4 == 0; }

// region squares
/// This thread's share of the sum of squares of a row: `pairs` pairs, then the elements behind them.
template <class T, class Pair>
__device__ float share_of_squares(const T* __restrict__ row,  // [cols]
                                  int cols, int pairs) {
  float squares = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += kThreads) {
    // >>> blank pair-squares: widen the pair reinterpret_cast<const Pair*>(row)[i] and add both squares, about 2 lines
    const float2 v = widen(reinterpret_cast<const Pair*>(row)[i]);
    squares += v.x * v.x + v.y * v.y;
    // <<< blank pair-squares
    WATCH(squares);
  }
  for (int col = 2 * pairs + threadIdx.x; col < cols; col += kThreads) {
    const float v = widen(row[col]);
    squares += v * v;
  }
  return squares;
}
// endregion squares

// region kernel
/// Block r normalises row r.
template <class T, class Pair>
__global__ void rmsnorm_kernel(const T* __restrict__ x,       // [rows, cols], dense
                               const T* __restrict__ weight,  // [cols]
                               T* __restrict__ y,             // [rows, cols], dense
                               int cols, float eps) {
  __shared__ float partials[kMaxWarps];
  const T* in = x + static_cast<size_t>(blockIdx.x) * cols;
  T* out = y + static_cast<size_t>(blockIdx.x) * cols;
  const bool whole = starts_on_pair(in) && starts_on_pair(out) && starts_on_pair(weight);
  const int pairs = whole ? cols / 2 : 0;

  const float squares = share_of_squares<T, Pair>(in, cols, pairs);
  const float scale = rsqrtf(block_reduce<Sum>(squares, partials) / cols + eps);
  WATCH(scale);

  for (int i = threadIdx.x; i < pairs; i += kThreads) {
    // >>> blank pair-write: widen both pairs, multiply in float, round once into reinterpret_cast<Pair*>(out)[i], about 3 lines
    const float2 v = widen(reinterpret_cast<const Pair*>(in)[i]);
    const float2 w = widen(reinterpret_cast<const Pair*>(weight)[i]);
    Pair normalised;
    narrow(make_float2(v.x * scale, v.y * scale), normalised);
    float2 r = widen(normalised);
    r.x *= w.x;
    r.y *= w.y;
    narrow(r, reinterpret_cast<Pair*>(out)[i]);
    // <<< blank pair-write
  }
  for (int col = 2 * pairs + threadIdx.x; col < cols; col += kThreads) {
    narrow(widen(in[col]) * scale * widen(weight[col]), out[col]);
  }
}
// endregion kernel

}  // namespace

// region launch
/// rows, cols >= 1. Of each type all three tensors are given, or none.
cudaError_t launch_rmsnorm(const __half* x_half,              // [rows, cols]
                           const __half* weight_half,         // [cols]
                           __half* y_half,                    // [rows, cols]
                           const __nv_bfloat16* x_bf16,       // [rows, cols]
                           const __nv_bfloat16* weight_bf16,  // [cols]
                           __nv_bfloat16* y_bf16,             // [rows, cols]
                           int rows, int cols, float eps) {
  if (x_half != nullptr) rmsnorm_kernel<__half, __half2><<<rows, kThreads>>>(x_half, weight_half, y_half, cols, eps);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  if (x_bf16 != nullptr) rmsnorm_kernel<__nv_bfloat16, __nv_bfloat162><<<rows, kThreads>>>(x_bf16, weight_bf16, y_bf16, cols, eps);
  return cudaGetLastError();
}
// endregion launch
