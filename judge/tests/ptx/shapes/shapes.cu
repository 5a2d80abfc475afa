// What the assembler makes of products in the shapes of shapes.def: each kernel is PTX as written, nvcc's optimiser changes nothing.
// build: nvcc -std=c++17 -O3 -arch=sm_90 shapes.cu -o shapes; and with -gencode arch=compute_80,code=compute_80 (assembled by the driver).
// Each line: the shape, then for each result which evaluation on the host equals the device's bits on all inputs: fused, sep (the product
// rounded), second (the other of two products fused). Measured on one H200, CUDA 13.0: both builds say the same; it stands in shapes.def.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>

extern "C" __device__ __noinline__ float outside(float x) { return x * x; }

#define SHAPE(number, name, text, ...)                                                                                                     \
  __global__ void shape##number(const float* in, float* out, int n) {                                                                      \
    float x, y;                                                                                                                            \
    asm volatile("{ .reg .f32 p, n, x; .reg .b32 r; .reg .pred q, q2, t; setp.gt.s32 q, %6, 3; setp.gt.s32 q2, %6, 5; "                    \
                 "mov.f32 %0, 0f00000000; mov.f32 %1, 0f00000000; " text " }"                                                              \
                 : "=&f"(x), "=&f"(y)                                                                                                      \
                 : "f"(in[0]), "f"(in[1]), "f"(in[2]), "f"(in[3]), "r"(n), "f"(in[4]), "f"(in[5]), "l"(out + 8)                            \
                 : "memory");                                                                                                              \
    out[0] = x;                                                                                                                            \
    out[1] = y;                                                                                                                            \
  }
#include "shapes.def"
#undef SHAPE

struct Shape {
  const char* name;
  void (*kernel)(const float*, float*, int);
  const char* results[2];
};
static const Shape shapes[] = {
#define SHAPE(number, name, text, first, first_was, second, second_was) {name, shape##number, {first, second}},
#include "shapes.def"
#undef SHAPE
};

__global__ void keep_outside(float* out) { out[3] = outside(out[3]); }

static float h[6];
static float to_half(double x) { return __half2float(__double2half(x)); }
static float clamped(float x) { return x > 1 ? 1.f : x > 0 ? x : 0.f; }

// A result as the host computes it, with the product fused or rounded.
static float value(const char* kind, bool fused) {
  volatile float a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], g = h[5], p = a * b, q = c * d, r = e * b, s = a * a;
  auto is = [&](const char* k) { return std::strcmp(kind, k) == 0; };
  auto f = [](float u, float v, float w) { return std::fma(u, v, w); };
  if (is("p-c")) return fused ? f(a, b, -c) : p - c;
  if (is("p-d")) return fused ? f(a, b, -d) : p - d;
  if (is("c-p")) return fused ? f(-a, b, c) : c - p;
  if (is("d-p")) return fused ? f(-a, b, d) : d - p;
  if (is("-p-c")) return fused ? f(-a, b, -c) : -p - c;
  if (is("c+p")) return fused ? f(a, b, c) : c + p;
  if (is("p-p")) return fused ? f(a, b, -p) : p - p;
  if (is("p-cd")) return fused ? f(a, b, -q) : p - q;
  if (is("p+cd")) return fused ? f(a, b, q) : p + q;
  if (is("cd+p")) return fused ? f(c, d, p) : p + q;
  if (is("cd-p")) return fused ? f(c, d, -p) : q - p;
  if (is("cd-d")) return fused ? f(c, d, -d) : q - d;
  if (is("p-eb")) return fused ? f(a, b, -r) : p - r;
  if (is("aa-g")) return fused ? f(a, a, -g) : s - g;
  if (is("p-0.7")) return fused ? f(a, b, -0.7f) : p - 0.7f;
  if (is("sat(p-d)")) return clamped(fused ? f(a, b, -d) : p - d);
  if (is("satp-g")) return fused ? f(e, b, -g) : clamped(r) - g;
  if (is("1.3a-c")) {
    volatile float t = a * 1.3f;
    return fused ? f(a, 1.3f, -c) : t - c;
  }
  if (is("cd-eg")) {
    volatile float t = e * g;
    return fused ? f(c, d, -t) : q - t;
  }
  if (is("quotient")) {
    volatile float x = a / c, y = x * x;
    return fused ? f(x, x, -d) : y - d;
  }
  if (is("variance")) {
    volatile float x = a / c, y = x * x, z = d / c;
    return fused ? f(-x, x, z) : z - y;
  }
  if (is("double")) {
    volatile double x = (double)a * 1.0000000123, y = (double)b * 1.0000000077, z = x * y;
    return fused ? (float)(std::fma((double)x, (double)y, -(double)z) * 0x1p60) : 0.f;
  }
  volatile float x = to_half(a), y = to_half(b), z = to_half(c);  // half, half+
  float sign = is("half") ? -1.f : 1.f;
  return fused ? to_half((double)x * y + sign * z) : to_half((double)to_half((double)x * y) + sign * z);
}

// The other product fused, where there are two.
static bool second(const char* kind, float& out) {
  volatile float a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], g = h[5], p = a * b, q = c * d;
  auto is = [&](const char* k) { return std::strcmp(kind, k) == 0; };
  if (is("p-cd")) out = std::fma((float)-c, (float)d, (float)p);
  else if (is("p+cd")) out = std::fma((float)c, (float)d, (float)p);
  else if (is("cd+p")) out = std::fma((float)a, (float)b, (float)q);
  else if (is("cd-p")) out = std::fma((float)-a, (float)b, (float)q);
  else if (is("p-eb")) out = std::fma((float)-e, (float)b, (float)p);
  else if (is("cd-eg")) out = std::fma((float)-e, (float)g, (float)q);
  else return false;
  return true;
}

static bool same(float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; }

int main() {
  constexpr int kInputs = 64;
  float *in, *out;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, 4096);
  keep_outside<<<1, 1>>>(out);
  for (const Shape& shape : shapes) {
    bool is[2][3] = {{true, true, true}, {true, true, true}};
    unsigned random = 1;
    for (int input = 0; input < kInputs; ++input) {
      for (float& x : h) x = 0.25f + ((random = random * 1664525u + 1013904223u) >> 8) * 0x1p-23f;
      cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
      shape.kernel<<<1, 32>>>(in, out, 4);
      float r[2] = {};
      cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
      for (int i = 0; i < 2; ++i) {
        float other;
        is[i][0] &= same(r[i], value(shape.results[i], true));
        is[i][1] &= same(r[i], value(shape.results[i], false));
        is[i][2] &= second(shape.results[i], other) && same(r[i], other);
      }
    }
    std::printf("%s", shape.name);
    for (int i = 0; i < 2; ++i) {
      if (std::strcmp(shape.results[i], "-") == 0) continue;
      bool none = !is[i][0] && !is[i][1] && !is[i][2];
      std::printf("\t%s =%s%s%s%s", shape.results[i], is[i][0] ? " fused" : "", is[i][1] ? " sep" : "", is[i][2] ? " second" : "",
                  none ? " neither" : "");
    }
    std::printf("%s\n", cudaGetLastError() == cudaSuccess ? "" : "\tlaunch failed");
  }
}
