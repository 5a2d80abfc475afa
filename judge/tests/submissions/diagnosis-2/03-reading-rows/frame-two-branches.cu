// mistake-of: tail-dropped
// Every row times alpha, one block a row: the least a kernel can do with a row, so that all there is to see is how the row moves.
//
// The idea: memory moves in sectors of 32 aligned bytes, whoever asks for how much. A warp whose lanes stand side by side touches
// no sector that it does not need. And a lane may ask for 16 bytes at once, a float4: a quarter of the requests for the same
// sectors. But a 16-byte access must start at a multiple of 16 bytes, and whether it does depends on three things together: where the
// tensor starts, how far its rows lie apart, and which row it is. Rows that do not fit, and the last one to three elements of
// those that do, go one float at a time.
//
// New against lessons 01 and 02: rows have a stride, and y has one of its own. Still bad: a row that starts off a multiple of 16
// bytes gives up vectors altogether (lesson 13 peels the first elements off).
//
// Contract: y = alpha x, one rounded product an element, compared bit for bit. What lies between two rows belongs to somebody else: it
// is neither read nor written.
//
// Run it: ./workbook run 03
#include <cuda_runtime.h>

#include <cstdint>

#include "common/kernel/watch.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kFloatsPerVector = 4;
constexpr int kVectorBytes = 16;

// region aligned
/// Whether a float4 may be read or written at this place.
__device__ bool starts_on_16_bytes(const float* place) { return reinterpret_cast<std::uintptr_t>(place) % kVectorBytes == 0; }
// endregion aligned

// region vectors
/// Four floats in one load; `vector` counts float4, so it stands for elements 4 * vector to 4 * vector + 3 of the row.
__device__ float4 load_vector(const float* __restrict__ row,  // [cols], starts on 16 bytes
                              int vector) {
  return reinterpret_cast<const float4*>(row)[vector];
}

/// Four floats in one store; the same count of float4.
__device__ void store_vector(float* __restrict__ row,  // [cols], starts on 16 bytes
                             int vector, float4 value) {
  reinterpret_cast<float4*>(row)[vector] = value;
}

/// Each of the four, times alpha.
__device__ float4 times(float alpha, float4 v) { return make_float4(alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w); }
// endregion vectors

// region kernel
/// Block r scales row r. Neighbouring threads take neighbouring vectors, and afterwards neighbouring floats.
__global__ void row_scale_kernel(const float* __restrict__ x,  // [rows, cols], row stride x_stride
                                 float* __restrict__ y,        // [rows, cols], row stride y_stride
                                 int cols,
                                 long long x_stride,  // floats from a row of x to the next, at least cols
                                 long long y_stride,  // the same for y
                                 float alpha) {
  const float* in = x + blockIdx.x * x_stride;  // [cols]
  float* out = y + blockIdx.x * y_stride;       // [cols]
  WATCH(in);
  WATCH(out);

  // >>> blank vector-walk: int vectors (how many there are in this row), the walk over them, the walk over what is left, about 8 lines
  int vectors = 0;
  if (starts_on_16_bytes(in) && starts_on_16_bytes(out)) {
    vectors = cols / 4;
    for (int v = threadIdx.x; v < vectors; v += kThreads) {
      store_vector(out, v, times(alpha, load_vector(in, v)));
    }
  } else {
    for (int c = threadIdx.x; c < cols; c += kThreads) out[c] = alpha * in[c];
  }
  // <<< blank vector-walk
  WATCH(vectors);
}
// endregion kernel

}  // namespace

// region launch
/// One block of kThreads threads a row; rows, cols >= 1. Strides count floats and are at least cols; they are 64-bit, because the
/// product of a row number and a stride passes 2^31 in tensors of 8 GB.
cudaError_t launch_row_scale(const float* x,  // [rows, cols], row stride x_stride
                             float* y,        // [rows, cols], row stride y_stride
                             int rows, int cols, long long x_stride, long long y_stride, float alpha) {
  row_scale_kernel<<<rows, kThreads>>>(x, y, cols, x_stride, y_stride, alpha);
  return cudaGetLastError();
}
// endregion launch
