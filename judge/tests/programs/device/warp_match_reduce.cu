// Warp intrinsics of lanes that agree: match, reduce, votes; sums of equal keys with one atomic per key.
extern "C" __global__ void warp_match_reduce(const unsigned* keys, const int* values, int* sums, unsigned* out) {
  const int t = threadIdx.x;
  const unsigned lane = t % 32, key = keys[t];
  const unsigned peers = __match_any_sync(~0u, key);
#if __CUDA_ARCH__ >= 800
  const int sum = __reduce_add_sync(peers, values[t]);
  const unsigned most = __reduce_max_sync(~0u, key), bits = __reduce_or_sync(~0u, 1u << key);
#else
  int sum = 0;
  unsigned most = 0, bits = 0;
  for (int i = 0; i < 32; ++i) {
    const int value = __shfl_sync(~0u, values[t], i);
    const unsigned other = __shfl_sync(~0u, key, i);
    sum += (peers >> i & 1) != 0 ? value : 0;
    most = most > other ? most : other;
    bits |= 1u << other;
  }
#endif
  if (lane == static_cast<unsigned>(__ffs(static_cast<int>(peers)) - 1)) atomicAdd(&sums[key], sum);
  int same = 0;
  const unsigned everybody = __match_all_sync(~0u, key / 16, &same);
  out[t * 4 + 0] = most;
  out[t * 4 + 1] = bits;
  out[t * 4 + 2] = everybody + static_cast<unsigned>(same);
  out[t * 4 + 3] = __ballot_sync(~0u, key & 1) ^ static_cast<unsigned>(__any_sync(~0u, key == 3));
}
