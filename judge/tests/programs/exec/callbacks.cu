// Functions of the host in a stream: each runs when the work before it has been done, and sees its results.
#include <cstdio>

struct Note {
  const char* what;
  const int* value;
};

void note(void* data) {
  const Note* n = static_cast<const Note*>(data);
  std::printf("%s: %d\n", n->what, *n->value);
}

void note_state(cudaStream_t, cudaError_t state, void* data) {
  note(data);
  std::printf("state: %s\n", cudaGetErrorName(state));
}

__global__ void add(int* value, int more) { *value += more; }

int main() {
  int *value, *host;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&value, sizeof(int));
  cudaMallocHost(&host, sizeof(int));
  cudaMemsetAsync(value, 0, sizeof(int), stream);
  Note first{"behind the first kernel", host}, second{"behind the second", host};
  add<<<1, 1, 0, stream>>>(value, 40);
  cudaMemcpyAsync(host, value, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamAddCallback(stream, note_state, &first, 0);
  add<<<1, 1, 0, stream>>>(value, 2);
  cudaMemcpyAsync(host, value, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, note, &second);
  cudaStreamSynchronize(stream);
  cudaFree(value);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
