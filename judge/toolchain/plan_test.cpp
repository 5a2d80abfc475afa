#include "judge/toolchain/plan.hpp"

#include <algorithm>

#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::toolchain;

namespace {

const std::string kListing =
    "#$ _SPACE_= \n"
    "#$ CICC_PATH=/opt/cuda 13/nvvm/bin\n"
    "#$ PATH=/opt/cuda 13/bin:/usr/bin\n"
    "#$ INCLUDES=\"-I/opt/include\"\n"
    "#$ gcc -std=c++17 -E -x c++ \"-I/opt/cuda 13/include\" \"unit.cu\" -o \"./unit.cpp4.ii\" \n"
    "#$ cudafe++ --c++17 --orig_src_file_name \"unit.cu\" --orig_src_path_name \"/cache/tmp/unit.cu\" --gen_c_file_name "
    "\"./unit.cudafe1.cpp\" "
    "--stub_file_name \"unit.cudafe1.stub.c\" --gen_module_id_file --module_id_file_name \"./unit.module_id\" \"./unit.cpp4.ii\" \n"
    "#$ gcc -std=c++17 -D__CUDA_ARCH__=800 -E -x c++ \"unit.cu\" -o \"./unit.cpp1.ii\" \n"
    "#$ \"$CICC_PATH/cicc\" --orig_src_path_name \"/cache/tmp/unit.cu\" --include_file_name \"unit.fatbin.c\" --module_id_file_name "
    "\"./unit.module_id\" "
    "--stub_file_name \"./unit.cudafe1.stub.c\" \"./unit.cpp1.ii\" -o \"./unit.ptx\"\n"
    "#$ fatbinary --create=\"./unit.fatbin\" -64 --cmdline=\" --generate-line-info \" \"--image3=kind=ptx,sm=80,file=./unit.ptx\" "
    "--embedded-fatbin=\"./unit.fatbin.c\" \n"
    "#$ rm ./unit.fatbin\n"
    "#$ gcc -D__CUDA_ARCH__=800 -c -x c++ -fPIC \"./unit.cudafe1.cpp\" -o \"unit.o\" \n";

bool has(const Words& words, const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); }

std::string without(std::string text, const std::string& piece) {
  const std::size_t at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return text.erase(at, piece.size());
}

}  // namespace

TEST_CASE("nvcc's listing becomes six commands on files of the scratch folder") {
  const Result<Plan> plan = parse_plan(kListing);
  if (!plan) FAIL(plan.error().what);
  CHECK(plan->host_preprocess == Words{"gcc", "-std=c++17", "-E", "-x", "c++", "-I/opt/cuda 13/include", "unit.cu", "-o", "unit.cpp4.ii"});
  CHECK(plan->device_front[0] == "/opt/cuda 13/nvvm/bin/cicc");
  CHECK(has(plan->device_front, "unit.ptx"));
  CHECK(has(plan->device_preprocess, "-D__CUDA_ARCH__=800"));
  CHECK(plan->image ==
        Words{"fatbinary", "--create=unit.fatbin", "-64", "--cmdline= --generate-line-info ", "--image3=kind=ptx,sm=80,file=unit.ptx"});
  CHECK(has(plan->host_compile, "unit.cudafe1.cpp"));
  CHECK(plan->environment.at("PATH") == "/opt/cuda 13/bin:/usr/bin");
}

TEST_CASE("the module's name is ours and no path goes into the halves") {
  const Result<Plan> plan = parse_plan(kListing);
  REQUIRE(plan);
  for (const Words* front : {&plan->host_front, &plan->device_front}) {
    CHECK_FALSE(has(*front, "--gen_module_id_file"));
    CHECK(has(*front, "unit.module_id"));
    CHECK_FALSE(has(*front, "/cache/tmp/unit.cu"));
  }
}

TEST_CASE("a listing of another shape is refused with what is missing") {
  CHECK(parse_plan("").error().what == "nvcc lists no host preprocessor");
  CHECK(parse_plan(without(kListing, "--module_id_file_name \"./unit.module_id\" \"./unit.cpp4.ii\"")).error().what ==
        "cudafe++ does not name unit.module_id");
  CHECK(parse_plan(without(kListing, "#$ rm ./unit.fatbin\n#$ gcc -D__CUDA_ARCH__=800 -c")).error().what == "nvcc lists no host compiler");
  CHECK(parse_plan(kListing + "#$ fatbinary --create=x\n").error().what == "nvcc lists fatbinary twice");
}

TEST_CASE("words are split as a shell would") {
  CHECK(shell_words("a \"b c\" d\\ e \"\" $X\"$X\" $NONE", {{"X", "x y"}}) == Words{"a", "b c", "d e", "", "x yx y", ""});
  CHECK(shell_words("  ", {}).empty());
}
