#include "judge/toolchain/messages.hpp"

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::toolchain;

namespace {

Text text_of(const std::string& source, const std::string& name = "work/05 \xe5\xb1\x82/ex.cu") {
  return {name, split_lines(source), {}, "/cache/tmp-1-x"};
}

std::string all(const std::vector<Diagnostic>& diagnostics) {
  std::string shown;
  for (const Diagnostic& one : diagnostics) shown += one.text() + "\n";
  return shown;
}

}  // namespace

TEST_CASE("front end: place, message and a caret in the learner's own line") {
  const Text text = text_of("\n__global__ void k(float* y) { /* foo */ int unused; y[0] = foo; }\n\ty[1] = N * bar;\n");
  const char* said =
      "work/05 \xe5\xb1\x82/ex.cu(2): error: identifier \"foo\" is undefined\n"
      "  __attribute__((global)) void k(float* y) { int unused; y[0] = foo; }\n"
      "                                                                ^\n"
      "\n"
      "work/05 \xe5\xb1\x82/ex.cu(2): warning #177-D: variable \"unused\" was declared but never referenced\n"
      "  __attribute__((global)) void k(float* y) { int unused; y[0] = foo; }\n"
      "                                                 ^\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n"
      "work/05 \xe5\xb1\x82/ex.cu(3): error: identifier \"bar\" is undefined\n"
      "   y[1] = 3 * bar;\n"
      "              ^\n"
      "\n"
      "2 errors detected in the compilation of \"unit.cu\".\n";
  CHECK(all(read_messages({{Speaker::kFrontEnd, said}}, text)) ==
        "work/05 \xe5\xb1\x82/ex.cu:2:60: error: identifier \"foo\" is undefined\n"
        "    2 | __global__ void k(float* y) { /* foo */ int unused; y[0] = foo; }\n"
        "      |                                                            ^\n"
        "work/05 \xe5\xb1\x82/ex.cu:2:45: warning: variable \"unused\" was declared but never referenced\n"
        "    2 | __global__ void k(float* y) { /* foo */ int unused; y[0] = foo; }\n"
        "      |                                             ^\n"
        "work/05 \xe5\xb1\x82/ex.cu:3:13: error: identifier \"bar\" is undefined\n"
        "    3 | \ty[1] = N * bar;\n"
        "      | \t           ^\n");
}

TEST_CASE("front end: a message that goes on, and one that starts inside a library header") {
  const Text text = text_of("#include <vector>\nint a;\nvoid f() { v.push_back(\"x\"); std::vector<int&> z; }\n", "ex.cu");
  const char* said =
      "ex.cu(3): error: no instance of overloaded function matches the argument list\n"
      "            argument types are: (const char [2])\n"
      "  void f() { v.push_back(\"x\"); std::vector<int&> z; }\n"
      "               ^\n"
      "/usr/include/c++/12/bits/stl_vector.h(1293): note #3326-D: function \"push_back\" does not match\n"
      "        push_back(value_type&& __x)\n"
      "        ^\n"
      "\n"
      "/usr/include/c++/12/bits/new_allocator.h(63): error: pointer to reference is not allowed\n"
      "        typedef _Tp* pointer;\n"
      "                   ^\n"
      "          detected during:\n"
      "            instantiation of class \"A\" at line 124 of /usr/include/c++/12/bits/allocator.h\n"
      "            instantiation of class \"B\" at line 3 of ex.cu\n"
      "\n"
      "/usr/include/c++/12/bits/new_allocator.h(64): error: another echo of it\n"
      "          detected during instantiation of class \"B\" at line 3 of ex.cu\n";
  const auto read = read_messages({{Speaker::kFrontEnd, said}}, text);
  REQUIRE(read.size() == 2);
  CHECK(read[0].message == "no instance of overloaded function matches the argument list; argument types are: (const char [2])");
  CHECK(read[0].column == 14);
  CHECK(read[1].file == "ex.cu");
  CHECK(read[1].line == 3);
  CHECK(read[1].message == "pointer to reference is not allowed (in new_allocator.h:63, which this line led to)");
}

TEST_CASE("front end: the end of the file, and what belongs to the judge's glue") {
  const Text text = text_of("int a;\nvoid f() {\n", "ex.cu");
  const char* said =
      "At end of source: error: expected a \"}\"\n"
      "ex.cu(2): note #3196-D: to match this \"{\"\n"
      "  void f() {\n"
      "           ^\n"
      "\n"
      "warpbook glue(1): error: identifier \"launch_it\" is undefined\n"
      "  extern \"C\" void x(float*y) { launch_it(y); }\n"
      "                               ^\n";
  CHECK(all(read_messages({{Speaker::kFrontEnd, said}}, text)) ==
        "ex.cu:2: error: expected a \"}\" (at the end of the file)\n"
        "    2 | void f() {\n"
        "ex.cu:2:10: note: to match this \"{\"\n"
        "    2 | void f() {\n"
        "      |          ^\n"
        "ex.cu:2: error: identifier \"launch_it\" is undefined (found where the judge calls this file's functions, after its last line)\n"
        "    2 | void f() {\n");
}

TEST_CASE("gcc: the preprocessor has columns, the host compiler's are of another text") {
  const Text text = text_of("#include \"nope.h\"\nint f() { return g(); }\n", "ex.cu");
  const char* said = "ex.cu:1:10: fatal error: nope.h: No such file or directory\ncompilation terminated.\n";
  const auto missing = read_messages({{Speaker::kPreprocessor, said}, {Speaker::kPreprocessor, said}}, text);
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].text() == "ex.cu:1:10: error: nope.h: No such file or directory\n    1 | #include \"nope.h\"\n      |          ^");
  const auto host = read_messages({{Speaker::kHostCompiler,
                                    "In file included from a.h:3:\nex.cu: In function \xe2\x80\x98int f()\xe2\x80\x99:\nex.cu:2:34: error: "
                                    "\xe2\x80\x98g\xe2\x80\x99 was not declared\n    2 | int f() : error: no\n"}},
                                  text);
  REQUIRE(host.size() == 1);
  CHECK(host[0].message == "'g' was not declared");
  CHECK(host[0].line == 2);
  CHECK(host[0].column == 0);
}

TEST_CASE("ptxas: lines of PTX and mangled names lead back to the source") {
  Text text = text_of("void a();\nasm(\"bogus\");\n__global__ void k(float*);\n", "ex.cu");
  text.ptx =
      ".visible .entry _Z1kPf(\n"                                        // 1
      ")\n"                                                              // 2
      "{\n"                                                              // 3
      ".loc 1 3 0\n"                                                     // 4
      "ret;\n"                                                           // 5
      ".loc 2 77 0, function_name $L__info_string0, inlined_at 1 2 5\n"  // 6
      "bogus;\n"                                                         // 7
      "}\n"                                                              // 8
      ".file 1 \"ex.cu\"\n.file 2 \"/usr/include/x.h\"\n";
  const char* said =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas unit.ptx, line 7; error   : Not a name of any known instruction: 'bogus'\n"
      "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, 0xc000 max)\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n";
  CHECK(all(read_messages({{Speaker::kAssembler, said}}, text)) ==
        "ex.cu:2: error: not a name of any known instruction: 'bogus' (from the assembler, ptxas)\n"
        "    2 | asm(\"bogus\");\n"
        "ex.cu:3: error: entry function 'k(float*)' uses too much shared data (0x13880 bytes, 0xc000 max) (from the assembler, ptxas)\n"
        "    3 | __global__ void k(float*);\n");
}

TEST_CASE("linkers: each words it its way, all name the function") {
  const Text text = text_of("// helper\nvoid helper(float*);\n", "ex.cu");
  for (const char* said :
       {"/usr/bin/ld: unit.o: in function `launch(float*)':\nunit.cudafe1.cpp:(.text+0x12): undefined reference to `helper(float*)'\n",
        "unit.o:unit.cudafe1.cpp:function launch(float*): error: undefined reference to 'helper(float*)'\ncollect2: error: ld returned 1 "
        "exit status\n",
        "mold: error: undefined symbol: helper(float*)\n>>> referenced by unit.cudafe1.cpp\n"}) {
    const auto read = read_messages({{Speaker::kLinker, said}}, text);
    REQUIRE(read.size() == 1);
    CHECK(read[0].text() == "ex.cu:2: error: helper(float*) is declared and used but defined nowhere\n    2 | void helper(float*);");
  }
}

TEST_CASE("no folder of this machine is shown") {
  const Text text = text_of("int a;\n", "ex.cu");
  const auto read = read_messages({{Speaker::kPreprocessor, "/cache/tmp-1-x/unit.cu:1:1: error: in /cache/tmp-1-x/a.h\n"}}, text);
  REQUIRE(read.size() == 1);
  CHECK(read[0].text() == "unit.cu:1:1: error: in a.h");
}

TEST_CASE("chatter is not a message, and odd input is survived") {
  const Text text = text_of("", "ex.cu");
  for (const char* said :
       {"", "\n\n", "1 error detected in the compilation of \"unit.cu\".\n", "ex.cu(): error: x\n", "(3): error: x\n",
        "ex.cu(99999999999): error: x\n", "ptxas\n", "ptxas error\n", "ptxas , line ; : \n", ": error: \n", "ex.cu:: error: x\n", "^\n"}) {
    CHECK(read_front_end(said, text).empty());
    CHECK(read_gcc(said, text, true).empty());
    CHECK(read_ptxas(said, text).empty());
    CHECK(read_linker(said, text).empty());
  }
  const auto beyond = read_messages({{Speaker::kFrontEnd, "ex.cu(7): error: x\n  y\n  ^\n"}}, text);
  REQUIRE(beyond.size() == 1);
  CHECK(beyond[0].text() == "ex.cu:7: error: x");
}

TEST_CASE("columns are found again by the word under the caret") {
  CHECK(column_in_source("int a = b + b;", 13, "int a = b + b;") == 13);
  CHECK(column_in_source("__attribute__((device)) int a = b + b;", 37, "__device__ int a = b + b;") == 24);
  CHECK(column_in_source("int a = 3 + b;", 9, "int a = N + b;") == 0);
  CHECK(column_in_source("f(\"b\"); b;", 9, "f(\"b\") ; b;") == 10);
  CHECK(column_in_source("ab b", 4, "ab  b") == 5);
  CHECK(column_in_source("x", 9, "x") == 0);
  CHECK(column_in_source("x", 0, "x") == 0);
}
