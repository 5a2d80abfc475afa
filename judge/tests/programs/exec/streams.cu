// A producer and a consumer in two streams, and halves of one array in each. Words: what orders them.
#include <cstdio>
#include <cstring>

__global__ void produce(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<float>(i);
}

__global__ void consume(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

int main(int count, char** words) {
  const int n = 1000;
  const char* how = count > 1 ? words[1] : "nothing";
  float *x = nullptr, *y = nullptr, *host = nullptr;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMallocHost(&host, n * sizeof(float));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreate(&second);
  cudaEvent_t done;
  cudaEventCreate(&done);

  produce<<<4, 256, 0, first>>>(x, n);
  if (std::strcmp(how, "event") == 0) {
    cudaEventRecord(done, first);
    cudaStreamWaitEvent(second, done, 0);
  }
  if (std::strcmp(how, "stream") == 0) cudaStreamSynchronize(first);
  if (std::strcmp(how, "device") == 0) cudaDeviceSynchronize();
  if (std::strcmp(how, "halves") == 0) {
    cudaDeviceSynchronize();
    produce<<<2, 256, 0, first>>>(x, 333);
    produce<<<3, 256, 0, second>>>(x + 333, n - 333);
    cudaDeviceSynchronize();
  }
  consume<<<4, 256, 0, second>>>(x, y, n);
  if (std::strcmp(how, "copy") == 0) {
    cudaDeviceSynchronize();
    consume<<<4, 256, 0, second>>>(x, y, n);
    cudaMemcpyAsync(host, y, n * sizeof(float), cudaMemcpyDeviceToHost, first);
  }
  const cudaError_t end = cudaDeviceSynchronize();
  std::printf("%s: %s\n", how, cudaGetErrorName(end));
  cudaFree(x);
  cudaFree(y);
  cudaFreeHost(host);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaEventDestroy(done);
}
