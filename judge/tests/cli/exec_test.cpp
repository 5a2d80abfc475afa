// judge exec: programs with their own main(), run as a person runs them.
#include <nlohmann/json.hpp>

#include "judge/tests/catch.hpp"
#include "judge/tests/cli/home.hpp"

using namespace warpbook::cli;
using nlohmann::json;

namespace {

std::string program(const char* name) { return std::string(WARPBOOK_SOURCE_DIR) + "/judge/tests/programs/exec/" + name; }

/// Builds vector_add.cu once for the whole test program, by nvcc and with `words`.
std::string built(const Home& home, const std::string& name, const Words& words) {
  warpbook::run::Command command;
  command.argv = {WARPBOOK_NVCC_PROGRAM};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.argv.insert(command.argv.end(), {"-Wno-deprecated-gpu-targets", program("vector_add.cu"), "-o", home.at(name).string()});
  REQUIRE(finish(command).status == 0);
  return home.at(name).string();
}

}  // namespace

TEST_CASE("a program runs with its own words, input and status, and its report is apart") {
  const Home home;
  const std::string add = built(home, "add", {"-cudart", "shared", "-arch=compute_80", "-lineinfo"});
  Said said = home.judge({"exec", add});
  CHECK(said.status == 0);
  CHECK(said.out == "ran: cudaSuccess\nc[999] = 2997\n");
  CHECK(contains(said.err, "no findings"));
  CHECK(contains(said.err, "add(float const*"));
  CHECK_FALSE(contains(said.err, "not freed"));

  CHECK(home.judge({"exec", add, "--", "five"}).status == 5);

  said = home.judge({"exec", add, "--", "leak"});
  CHECK(said.status == 0);
  CHECK(contains(said.err, "not freed: 1 allocation, 4,000 bytes"));

  said = home.judge({"exec", add, "--json", "report.json", "--", "over"});
  CHECK(said.status == kNotAccepted);
  CHECK(contains(said.out, "ran: cudaErrorIllegalAddress"));
  CHECK(contains(said.err, "vector_add.cu:20:"));
  CHECK(contains(said.err, "c[i] = a[i] + b[i];"));
  const json report = json::parse(home.read("report.json"));
  REQUIRE(report.at("findings").size() >= 3);  // both reads and the write
  CHECK(report.at("findings")[0].at("kind") == "out of bounds");
  CHECK(report.at("findings")[0].at("category").at("text") == "Invalid __global__ read of size 4 bytes");
  CHECK(report.at("findings")[0].at("thread")[0] == 232);
  CHECK(report.at("leaks").size() == 3);
  CHECK(report.at("kernels")[0].at("launches") == 1);
  CHECK(report.at("status") == 0);
  CHECK(report.at("complete") == true);

  said = home.judge({"exec", add, "--", "twice"});
  CHECK(said.status == kNotAccepted);
  CHECK(contains(said.err, "has been freed before"));

  said = home.judge({"exec", add, "--", "host"});
  CHECK(said.status == 128 + 11);
  CHECK(contains(said.err, "host code reads device pointer"));
  CHECK(contains(said.err, "12 bytes into the allocation of 4000 bytes"));
  CHECK(contains(said.err, "cudaMemcpy"));
}

TEST_CASE("a program that cannot be run is told why and how to be rebuilt") {
  const Home home;
  Said said = home.judge({"exec", built(home, "machine", {"-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80"})});
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.err, "holds no PTX, only machine code for sm_80: rebuild it with -gencode arch=compute_80,code=compute_80"));

  const std::string fresh = built(home, "fresh", {"-cudart", "shared", "-arch=compute_90"});
  said = home.judge({"exec", fresh});
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.err, "PTX for compute_90, which is newer than the device (sm_80): give --profile sm_90"));
  CHECK(home.judge({"exec", "--profile", "sm_90", fresh}).status == 0);

  said = home.judge({"exec", built(home, "static", {"-cudart", "static", "-arch=compute_80"})});
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.err, "link it with -cudart shared"));

  said = home.judge({"exec", "/bin/true"});
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.err, "not a CUDA program"));

  CHECK(home.judge({"exec", home.write("note.txt", "hello\n").string()}).status == kCouldNot);
  CHECK(home.judge({"exec"}).status == kUsage);
  CHECK(home.judge({"exec", "nothing.cu"}).status == kUsage);
  CHECK(home.judge({"exec", "--profile", "sm_1", fresh}).status == kUsage);
  CHECK(home.judge({"exec", "--off", "bounds", fresh}).status == kUsage);
  CHECK(home.judge({"exec", "--schedule", "x", fresh}).status == kUsage);
}

TEST_CASE("graphs and memory of every kind, from a .cu file") {
  const Home home;
  for (const char* name : {"graphs.cu", "memory.cu"}) {
    const Said said = home.judge({"exec", program(name)});
    const bool asks_for_refusals = name == std::string("graphs.cu");  // captures that must not be
    CHECK(said.status == (asks_for_refusals ? kNotAccepted : 0));
    CHECK(contains(said.err, "calls refused") == asks_for_refusals);
    CHECK(contains(said.out, " checks, 0 failures"));
    CHECK(contains(said.err, "no findings"));
  }
  const Said said = home.judge({"exec", home.write("broken.cu", "int main() { return undeclared; }\n").string()});
  CHECK(said.status == kCouldNot);
  CHECK(contains(said.err, "undeclared"));
}

TEST_CASE("what kernels print comes between what the program prints, and a failed assertion names its line") {
  const Home home;
  Said said = home.judge({"exec", program("printing.cu")});
  CHECK(said.status == 0);
  CHECK(said.out ==
        "before\n"
        "thread 0 of block 0 holds 1.50 and is even,     0|ff  |-5|c%\n"
        "thread 1 of block 0 holds -0.25 and is odd,     0|ff  |-5|c%\n"
        "thread 0 of block 1 holds 1.50 and is even,     1|ff  |-5|c%\n"
        "thread 1 of block 1 holds -0.25 and is odd,     1|ff  |-5|c%\n"
        "behind\n");

  said = home.judge({"exec", program("asserting.cu")});
  CHECK(said.status == kNotAccepted);
  CHECK(contains(said.out, "cudaErrorAssert\ncudaErrorAssert\n"));
  CHECK(contains(said.err, "asserting.cu:7"));
  CHECK(contains(said.err, "the limit is not reached"));
  CHECK(contains(said.err, "in check(int), block (1,0,0), thread (3,0,0)"));
  said = home.judge({"exec", program("asserting.cu"), "--", "far"});
  CHECK(said.status == 0);
  CHECK(said.out == "cudaSuccess\ncudaSuccess\n");
}

TEST_CASE("functions through pointers, functions of the host in a stream, and the device's heap") {
  const Home home;
  Said said = home.judge({"exec", program("pointers.cu")});
  CHECK(said.status == 0);
  CHECK(said.out == "4 16 9 64 625 36 cudaSuccess\n");

  said = home.judge({"exec", program("callbacks.cu")});
  CHECK(said.status == 0);
  CHECK(said.out == "behind the first kernel: 40\nstate: cudaSuccess\nbehind the second: 42\ncudaSuccess\n");

  CHECK(home.judge({"exec", program("heap.cu")}).out == "limit 8 MB, not all of 32 MB\nsome\n");
  CHECK(home.judge({"exec", program("heap.cu"), "--", "64"}).out == "limit 64 MB, all of 32 MB\nsome\n");
  CHECK(home.judge({"exec", program("heap.cu"), "--", "1"}).out == "limit 1 MB, not all of 32 MB\nnone\n");
}

TEST_CASE("a program whose calls are refused is not right, whatever its own status says") {
  const Home home;
  const Said said = home.judge({"exec", "--json", "report.json", program("refused.cu")});
  CHECK(said.status == kNotAccepted);
  CHECK(said.out == "cudaErrorMemoryAllocation\ncudaErrorInvalidValue\n");
  CHECK(contains(said.err, "no findings, 2 calls refused"));
  const json report = json::parse(home.read("report.json"));
  REQUIRE(report.at("refused").size() == 2);
  CHECK(report.at("refused")[0].at("call") == "cudaMalloc");
  CHECK(report.at("refused")[1].at("name") == "cudaErrorInvalidValue");
}

TEST_CASE("kernels in two streams race unless an event or waiting orders them") {
  const Home home;
  Said said = home.judge({"exec", program("streams.cu")});
  CHECK(said.status == kNotAccepted);
  CHECK(said.out == "nothing: cudaSuccess\n");
  CHECK(contains(said.err, "streams.cu:12:"));  // the read
  CHECK(contains(said.err, "streams.cu:7:"));   // the write
  CHECK(contains(said.err, "in stream 2 reads global memory"));
  CHECK(contains(said.err, "cudaStreamWaitEvent"));
  for (const char* how : {"event", "stream", "device", "halves"}) {
    said = home.judge({"exec", program("streams.cu"), "--", how});
    INFO(how << "\n" << said.err);
    CHECK(said.status == 0);
  }
  said = home.judge({"exec", program("streams.cu"), "--", "copy"});
  CHECK(contains(said.err, "cudaMemcpyAsync in stream 1 reads global memory"));
}

TEST_CASE("a finding without line information says how to build, and one in a header of the toolkit names the line that calls it") {
  const Home home;
  const std::string bare = built(home, "bare", {"-cudart", "shared", "-arch=compute_80"});
  Said said = home.judge({"exec", bare, "--", "over"});
  CHECK(contains(said.err, "in add(float const*"));
  CHECK(contains(said.err, "built without line information: nvcc -lineinfo"));
  said = home.judge({"exec", home.write("claim.cu",
                                        "__global__ void claim(int* word) {\n"
                                        "  if (word[1] == 0) atomicAdd(word + 400, 1);\n"
                                        "}\n"
                                        "int main() {\n"
                                        "  int* word;\n"
                                        "  cudaMalloc(&word, 8);\n"
                                        "  cudaMemset(word, 0, 8);\n"
                                        "  claim<<<1, 32>>>(word);\n"
                                        "  claim<<<1, 2048>>>(word);\n"
                                        "}\n")
                                 .string()});
  CHECK(contains(said.err, "claim.cu:2:"));
  CHECK(contains(said.err, "inside device_atomic_functions.hpp:"));
}
