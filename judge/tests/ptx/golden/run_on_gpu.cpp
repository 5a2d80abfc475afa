// Runs the golden suite on a real GPU through the driver API. Needs nothing of this project, so that it can be built where the GPU is:
//   g++ -std=c++20 -O2 -pthread run_on_gpu.cpp -ldl -o run_on_gpu
//   run_on_gpu FOLDER ANSWERS        FOLDER: what `golden_write suite` wrote
// ANSWERS has a line for each kernel: name, and `out` in hexadecimal. What could not be compiled or run is told on standard error.
// Modules are compiled by ptxas beforehand, several at once (m0.cubin beside m0.ptx), or by the driver where no cubin lies there. Each
// kernel runs twice: what differs (clocks, the order of lanes) is no golden result and is left out. An error spoils the process on the
// GPU's side: kernels run in a child, and after an error another child goes on behind the kernel that failed.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Handle = void*;
using Address = unsigned long long;

template <class Function>
Function driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "no %s in libcuda.so.1\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function>(found);
}

void must(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, code);
  std::exit(1);
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Job {
  int module = 0;
  std::string name;
  unsigned threads = 0;
  std::size_t input_at = 0, input_bytes = 0, output_bytes = 0;
};

constexpr std::size_t kInputRoom = 1 << 16, kOutputRoom = 1 << 16, kBlobBytes = 32;

/// Runs jobs from `next` on, counting it up; ends the process at a failure.
int run(const std::string& folder, const std::vector<Job>& jobs, const std::string& answers_file, volatile std::size_t& next) {
  const auto init = driver<int (*)(unsigned)>("cuInit");
  const auto get_device = driver<int (*)(int*, int)>("cuDeviceGet");
  const auto retain = driver<int (*)(Handle*, int)>("cuDevicePrimaryCtxRetain");
  const auto set_current = driver<int (*)(Handle)>("cuCtxSetCurrent");
  const auto load = driver<int (*)(Handle*, const void*)>("cuModuleLoadData");
  const auto unload = driver<int (*)(Handle)>("cuModuleUnload");
  const auto function_of = driver<int (*)(Handle*, Handle, const char*)>("cuModuleGetFunction");
  const auto allocate = driver<int (*)(Address*, std::size_t)>("cuMemAlloc_v2");
  const auto to_device = driver<int (*)(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2");
  const auto to_host = driver<int (*)(void*, Address, std::size_t)>("cuMemcpyDtoH_v2");
  const auto fill = driver<int (*)(Address, unsigned char, std::size_t)>("cuMemsetD8_v2");
  const auto synchronize = driver<int (*)()>("cuCtxSynchronize");
  using LaunchFunction = int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**);
  const auto launch = driver<LaunchFunction>("cuLaunchKernel");

  const std::string inputs = read_all(folder + "/inputs.bin");
  Handle context = nullptr;
  int device = 0;
  Address in = 0, out = 0;
  must(init(0), "cuInit");
  must(get_device(&device, 0), "cuDeviceGet");
  must(retain(&context, device), "cuDevicePrimaryCtxRetain");
  must(set_current(context), "cuCtxSetCurrent");
  must(allocate(&in, kInputRoom), "cuMemAlloc");
  must(allocate(&out, kOutputRoom), "cuMemAlloc");

  unsigned char blob[kBlobBytes];
  for (std::size_t i = 0; i < kBlobBytes; ++i) blob[i] = static_cast<unsigned char>(0x80 + 7 * i);
  std::ofstream answers(answers_file, std::ios::app);
  Handle module = nullptr;
  int loaded = -1;
  while (next < jobs.size()) {
    const Job& job = jobs[next];
    next = next + 1;
    if (job.module != loaded) {
      if (module != nullptr) unload(module);
      module = nullptr;
      loaded = job.module;
      const std::string stem = folder + "/m" + std::to_string(job.module);
      std::string image = read_all(stem + ".cubin");
      if (image.empty()) image = read_all(stem + ".ptx");
      if (const int code = load(&module, image.c_str()); code != 0) std::fprintf(stderr, "m%d: not loaded, error %d\n", job.module, code);
    }
    Handle function = nullptr;
    if (module == nullptr || function_of(&function, module, job.name.c_str()) != 0) {
      std::fprintf(stderr, "%s: not there\n", job.name.c_str());
      continue;
    }
    std::vector<unsigned char> first(job.output_bytes), second(job.output_bytes);
    for (std::vector<unsigned char>* result : {&first, &second}) {
      must(to_device(in, inputs.data() + job.input_at, job.input_bytes), "cuMemcpyHtoD");
      must(fill(out, 0xA5, kOutputRoom), "cuMemsetD8");
      void* parameters[] = {&in, &out, blob};
      int code = launch(function, 1, 1, 1, job.threads, 1, 1, 0, nullptr, parameters, nullptr);
      if (code == 0) code = synchronize();
      must(code, job.name.c_str());
      must(to_host(result->data(), out, job.output_bytes), "cuMemcpyDtoH");
    }
    if (first != second) {
      std::fprintf(stderr, "%s: differs from run to run\n", job.name.c_str());
      continue;
    }
    std::string line = job.name + ' ';
    char hex[3];
    for (const unsigned char byte : first) {
      std::snprintf(hex, sizeof hex, "%02x", byte);
      line += hex;
    }
    answers << line << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "run_on_gpu FOLDER ANSWERS\n");
    return 2;
  }
  const std::string folder = argv[1];
  std::vector<Job> jobs;
  std::ifstream plan(folder + "/plan.txt");
  for (std::string line; std::getline(plan, line);) {
    std::istringstream words(line);
    Job job;
    words >> job.module >> job.name >> job.threads >> job.input_at >> job.input_bytes >> job.output_bytes;
    jobs.push_back(job);
  }
  std::ofstream(argv[2], std::ios::trunc);
  void* shared = mmap(nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  volatile std::size_t& next = *static_cast<std::size_t*>(shared);
  while (next < jobs.size()) {
    const std::size_t before = next;
    const pid_t child = fork();
    if (child == 0) std::_Exit(run(folder, jobs, argv[2], next));
    int status = 0;
    waitpid(child, &status, 0);
    if (next == before) return 1;  // not even one kernel was tried
  }
  return 0;
}
