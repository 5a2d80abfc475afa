// A dense switch: nvcc makes a table of branches of it (brx.idx).
extern "C" __global__ void switch_table(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i];
  for (int step = 0; step < 3; ++step) {
    switch (x & 15) {
      case 0: x = x * 3 + 1; break;
      case 1: x ^= 0x55; break;
      case 2: x = __popc(x) + i; break;
      case 3: x = (x << 3) - x; break;
      case 4: x = ~x; break;
      case 5: x = x / 7; break;
      case 6: x = x * x; break;
      case 7: x += in[(i + 1) % n]; break;
      case 8: x = x % 1000; break;
      case 9: x = __brev(x); break;
      case 10: x = -x; [[fallthrough]];
      case 11: x |= 1; break;
      case 12: return;
      default: x = x > 100 ? x - 100 : x + 13; break;
    }
  }
  out[i] = x;
}
