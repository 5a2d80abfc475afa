// Graphs: a captured stream, a fork to a second stream and back, a graph put together by hand, an update of it, and what a capture
// forbids. Prints one line for each; the lines are what a GPU gives.
#include <cstdio>

static int checks = 0, failures = 0;
static void check(bool good, const char* what) {
  ++checks;
  if (!good) ++failures, std::printf("wrong: %s (%s)\n", what, cudaGetErrorName(cudaPeekAtLastError()));
}
#define CHECK(expression) check((expression), #expression)
#define OK(call) check((call) == cudaSuccess, #call)

__global__ void add(int* x, int amount) { x[threadIdx.x] += amount; }

static int calls = 0;
static void count_call(void* amount) { calls += *static_cast<int*>(amount); }

int main() {
  const int n = 32;
  int *a, *b, back[n];
  OK(cudaMalloc(&a, sizeof back));
  OK(cudaMalloc(&b, sizeof back));
  cudaStream_t first, second;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t fork, join;
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));

  // Captured: nothing runs before the launch, everything runs in each launch.
  int one = 1;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(first, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  OK(cudaMemsetAsync(a, 0, sizeof back, first));
  OK(cudaEventRecord(fork, first));
  OK(cudaStreamWaitEvent(second, fork));
  OK(cudaMemsetAsync(b, 0, sizeof back, second));
  add<<<1, n, 0, second>>>(b, 7);
  OK(cudaEventRecord(join, second));
  add<<<1, n, 0, first>>>(a, 3);
  OK(cudaStreamWaitEvent(first, join));
  OK(cudaMemcpyAsync(back, a, sizeof back, cudaMemcpyDeviceToHost, first));
  OK(cudaLaunchHostFunc(first, count_call, &one));
  OK(cudaStreamEndCapture(first, &graph));
  CHECK(calls == 0);
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 6);
  OK(cudaGraphInstantiate(&exec, graph));
  for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(exec, first));
  OK(cudaStreamSynchronize(first));
  CHECK(calls == 3);
  CHECK(back[31] == 3);
  OK(cudaMemcpy(back, b, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 7);
  std::printf("captured: %zu nodes, %d calls, b is %d\n", nodes, calls, back[0]);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // By hand: memset, two kernels, a copy; then the second kernel gets another argument.
  cudaGraphNode_t fill, kernel, again, copy;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zero = {};
  zero.dst = a, zero.elementSize = 4, zero.width = n, zero.height = 1, zero.value = 100;
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  int amount = 5;
  void* arguments[] = {&a, &amount};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(add);
  parameters.gridDim = dim3(1), parameters.blockDim = dim3(n), parameters.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &parameters));
  amount = 20;
  OK(cudaGraphAddKernelNode(&again, graph, &kernel, 1, &parameters));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &again, 1, back, a, sizeof back, cudaMemcpyDeviceToHost));
  OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, second));
  OK(cudaDeviceSynchronize());
  CHECK(back[5] == 125);
  amount = 1000;
  OK(cudaGraphExecKernelNodeSetParams(exec, again, &parameters));
  OK(cudaGraphLaunch(exec, second));
  OK(cudaDeviceSynchronize());
  CHECK(back[5] == 1105);
  std::printf("by hand: %d\n", back[5]);
  cudaKernelNodeParams asked = {};
  OK(cudaGraphKernelNodeGetParams(kernel, &asked));
  CHECK(*static_cast<int*>(asked.kernelParams[1]) == 5);
  amount = 6;
  OK(cudaGraphKernelNodeSetParams(kernel, &parameters));
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphExecUpdate(exec, graph, &info));
  OK(cudaGraphLaunch(exec, second));
  OK(cudaDeviceSynchronize());
  CHECK(back[5] == 126);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // A capture with memory of its own, launched twice.
  int* inside;
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  OK(cudaMallocAsync(reinterpret_cast<void**>(&inside), sizeof back, first));
  OK(cudaMemsetAsync(inside, 0, sizeof back, first));
  add<<<1, n, 0, first>>>(inside, 9);
  OK(cudaMemcpyAsync(back, inside, sizeof back, cudaMemcpyDeviceToHost, first));
  OK(cudaFreeAsync(inside, first));
  OK(cudaStreamEndCapture(first, &graph));
  OK(cudaGraphInstantiate(&exec, graph));
  OK(cudaGraphLaunch(exec, first));
  OK(cudaGraphLaunch(exec, first));
  OK(cudaStreamSynchronize(first));
  CHECK(back[7] == 9);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // What is forbidden spoils the capture; afterwards the stream works again.
  void* more = nullptr;
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  CHECK(cudaMalloc(&more, 4) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  CHECK(cudaStreamSynchronize(first) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  CHECK(cudaMemcpy(back, a, 4, cudaMemcpyDeviceToHost) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  OK(cudaEventRecord(fork, first));
  OK(cudaStreamWaitEvent(second, fork));
  add<<<1, n, 0, second>>>(b, 7);
  CHECK(cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureUnjoined);
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed) == cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();
  add<<<1, n, 0, first>>>(a, 1);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(a));
  OK(cudaFree(b));
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
