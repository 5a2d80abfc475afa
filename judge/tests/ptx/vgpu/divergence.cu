// Kernels whose lanes part and meet again: the interpreter must give every lane its own path and bring them together where they join.
// out: [threads], one int per thread.
extern "C" __global__ void nested(int* out) {
  const int t = threadIdx.x;
  int value = 0;
  if (t & 1) {
    value += 10;
    if (t & 2) {
      value += out[t] * 3;
      if (t & 4) value -= out[t] + 7;
    } else {
      value ^= out[t] + 5;
    }
    value += 1;
  } else if (t % 3 == 0) {
    value = out[t] - 100;
  }
  out[t] = value + __popc(__activemask());
}

extern "C" __global__ void trips(int* out) {
  int sum = 0;
  for (int i = 0; i < (int)threadIdx.x % 7; ++i) {
    for (int j = threadIdx.x; j > i; j -= 5) sum += j * (i + 1) + out[threadIdx.x];
  }
  out[threadIdx.x] = sum * 100 + __popc(__activemask());
}

extern "C" __global__ void leave(int* out, int n) {
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if ((i ^ (int)threadIdx.x) % 5 == 0) continue;
    kept += i + out[threadIdx.x];
    if (kept > (int)threadIdx.x * 8) break;
  }
  out[threadIdx.x] = kept;
}

extern "C" __global__ void choose(int* out) {
  int x = out[threadIdx.x];
  switch (x % 9) {
    case 0: x += 3; break;
    case 1: x = x * x - out[0]; break;
    case 2: x ^= 0x55;  // falls through
    case 3: x -= 8; break;
    case 4: return;
    case 5: x = x / 3; break;
    case 6: x = out[1] * 7; break;
    case 7: x = -x; break;
  }
  out[threadIdx.x] = x;
}

// Lanes that leave the loop early go on to more work while the others still turn: the sum must not depend on who waits for whom.
extern "C" __global__ void collatz(int* out) {
  unsigned n = threadIdx.x + 1, steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  out[threadIdx.x] = (int)steps;
}
