#include "judge/task/splice.hpp"

#include <unistd.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/task/task_fixture.hpp"

using namespace warpbook;
using namespace warpbook::task;

namespace {

// A kernel with a region, two underscore blanks on one line, and a host blank.
const std::string kExercise = R"(#include <cuda_runtime.h>
// Scales rows.
#define SQUARE(v) ((v) * (v))

__global__ void scale(const float* x, float* y, int n) {
  const char* note = "two  spaces";
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    // >>> blank factor: the factor, about 2 lines
    // <<< blank factor
    y[i] = combine(______, ______) + 1;
  }
}

extern "C" void launch(const float* x, float* y, int n) {
  // >>> blank launch: start the kernel, about 1 line
  // <<< blank launch
}
)";

const std::string kRegion = "    float f = 2;\n";
const std::string kLaunch = "  scale<<<1, 32>>>(x, y, n);\n";

Task exercise_task() {
  Task task;
  task.blanks = {{"factor", BlankScope::kDevice, 2},
                 {"left", BlankScope::kDevice, 1},
                 {"right", BlankScope::kDevice, 1},
                 {"launch", BlankScope::kHost, 1}};
  return task;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The exercise with its blanks filled.
std::string filled(const std::string& region = kRegion, const std::string& left = "f * x[i]", const std::string& right = "min(1, 2)",
                   const std::string& launch = kLaunch) {
  std::string text = replaced(kExercise, "    // <<< blank factor", region + "    // <<< blank factor");
  text = replaced(text, "______, ______", left + ", " + right);
  return replaced(text, "  // <<< blank launch", launch + "  // <<< blank launch");
}

Spliced spliced(const std::string& learner) {
  auto result = splice(kExercise, "exercise.cu", learner, "work/exercise.cu", exercise_task());
  INFO((result ? std::string() : result.error().text()));
  REQUIRE(result);
  return *result;
}

}  // namespace

TEST_CASE("blanks are found in a text, filled rightly or not, and as far as they can be when the text outside was changed") {
  Task task;
  for (const char* name : {"factor", "a", "b", "launch"}) task.blanks.push_back({name, BlankScope::kDevice, 1, {}, {}});
  const auto found = [&](const std::string& text) {
    const Result<BlankExtents> extents = find_blanks(kExercise, "exercise.cu", text, "mine.cu", task);
    REQUIRE(extents);
    std::string out;
    for (const BlankExtent& e : extents->blanks) out += e.name + "=" + extents->text.substr(e.begin, e.end - e.begin) + ";";
    return out + (extents->change ? "changed" : "");
  };
  CHECK(found(kExercise) == "factor=;a=______;b=______;launch=;");
  std::string text = kExercise;
  text.replace(text.find("______, ______"), 14, "min(1, 2), x[i]");
  CHECK(found(text) == "factor=;a=min(1, 2);b=x[i];launch=;");
  text.insert(text.find("    // <<< blank factor"), "    f;\n");
  CHECK(found(text).starts_with("factor=    f;\n;"));
  text.replace(text.find("two  spaces"), 11, "other words");
  CHECK(found(text) == "factor=    f;\n;launch=;changed");
}

TEST_CASE("blanks are taken and every line stays the learner's") {
  const Spliced result = spliced(filled());
  REQUIRE(result.kind == SpliceKind::kReady);
  CHECK(result.source.text == filled());
  REQUIRE(result.source.blanks.size() == 4);
  CHECK(result.source.blanks[0].name == "factor");
  CHECK(result.source.blanks[0].text == kRegion);
  CHECK(result.source.blanks[0].first_line == 9);
  CHECK(result.source.blanks[1].text == "f * x[i]");
  CHECK(result.source.blanks[2].text == "min(1, 2)");
  CHECK(result.source.blanks[3].scope == BlankScope::kHost);
  CHECK(result.source.blanks[3].text == kLaunch);
}

TEST_CASE("white space, line ends, a BOM and a missing last line end are no changes") {
  std::string crlf;
  for (const char c : filled()) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  std::string lone_cr = filled();
  std::replace(lone_cr.begin(), lone_cr.end(), '\n', '\r');
  std::string no_end = filled();
  no_end.pop_back();
  for (const std::string& variant : {crlf, lone_cr, no_end, "\xEF\xBB\xBF" + filled()}) {
    const Spliced result = spliced(variant);
    REQUIRE(result.kind == SpliceKind::kReady);
    CHECK(result.source.text == filled());
  }
  std::string reformatted = filled();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"void scale(const", "void\nscale ( const"},
                                                                                 {"// Scales rows.", "//Scales   rows."},
                                                                                 {"    // >>> blank", "\n\n\t//  >>>  blank"},
                                                                                 {"extern \"C\"", "\n\n\nextern   \"C\""},
                                                                                 {"#define SQUARE(v)", "#  define   SQUARE( v )"}})
    reformatted = replaced(reformatted, from, to);
  const Spliced result = spliced(reformatted);
  INFO(result.diff);
  REQUIRE(result.kind == SpliceKind::kReady);
  CHECK(result.source.text == reformatted);
}

TEST_CASE("an empty blank is refused with its place, every one of them") {
  const Spliced untouched = spliced(kExercise);
  REQUIRE(untouched.kind == SpliceKind::kRefused);
  REQUIRE(untouched.refusals.size() == 4);
  CHECK(untouched.only_empty);
  CHECK_FALSE(spliced(filled("    }\n", "______", "______")).only_empty);
  CHECK(untouched.refusals[0].text() ==
        "work/exercise.cu:8:1: error: blank 'factor' is empty, expected about 2 lines\n    8 |     // >>> blank factor: the factor, about "
        "2 lines\n      | ^");
  CHECK(untouched.refusals[1].where.line == 10);
  CHECK(untouched.refusals[1].where.column == 20);
  CHECK(untouched.refusals[1].what == "blank 'left' is empty, expected an expression");
  CHECK(untouched.refusals[2].where.column == 28);
  CHECK(untouched.refusals[3].what == "blank 'launch' is empty, expected about 1 line");
  for (const char* nothing : {"    // later\n", "    /* later */\n", "\n\n", "   ;\n", "  // a\n ;;\n"}) {
    const Spliced result = spliced(filled(nothing));
    REQUIRE(result.kind == SpliceKind::kRefused);
    CHECK(result.refusals[0].what == "blank 'factor' is empty, expected about 2 lines");
    CHECK(result.refusals[0].where.line == 9);
  }
  CHECK(spliced(filled("    float f = ______;\n")).refusals.at(0).what == "blank 'factor' still holds ______");
  CHECK(spliced(filled(kRegion, "/* x */", "1")).refusals.at(0).what == "blank 'left' is empty, expected an expression");
}

TEST_CASE("hostile blanks are refused where they stand") {
  struct Hostile {
    const char* region;
    const char* what;
    int line;
  };
  const Hostile list[] = {
      {"    float f = 2; }\n", "'}' closes what blank 'factor' did not open", 9},
      {"    float f = 2;\n  } }\n__global__ void evil() { {\n", "'}' closes what blank 'factor' did not open", 10},
      {"    if (f) {\n", "'{' is not closed in blank 'factor', expected '}'", 9},
      {"    g(1;\n", "'(' is not closed in blank 'factor'", 9},
      {"    a[1);\n", "')' stands where ']' is expected", 9},
      {"    %> // digraph\n", "'}' closes what blank 'factor' did not open", 9},
      {"    float f = 2; /* open\n", "this comment is not closed", 9},
      {"    float f = 2; */\n    /* again\n", "this comment is not closed", 10},
      {"    const char* s = \"open;\n", "this string is not closed", 9},
      {"    char c = 'o;\n", "this character is not closed", 9},
      {"    const char* s = R\"x(open;\n", "this raw string is not closed", 9},
      {"    const char* s = R\"x(\n    // <<< blank\n)y\";\n", "this raw string is not closed", 9},
      {"#include <stdio.h>\n", "preprocessor directive '#include' in a blank, only #pragma may stand there", 9},
      {"    f = 1;\n  # define y z\n", "preprocessor directive '#define' in a blank", 10},
      {"#if 0\n", "preprocessor directive '#if' in a blank", 9},
      {"#endif\n", "preprocessor directive '#endif' in a blank", 9},
      {"#line 1 \"judge.cpp\"\n", "preprocessor directive '#line' in a blank", 9},
      {"#undef SQUARE\n    f = 1;\n", "preprocessor directive '#undef' in a blank", 9},
      {"#\n    f = 1;\n", "preprocessor directive '#' in a blank", 9},
      {"# 12 \"x.cu\"\n", "preprocessor directive '#12' in a blank", 9},
      {"%: include <stdio.h>\n", "preprocessor directive '#include' in a blank", 9},
      {"/* a\n */ # include <stdio.h>\n", "preprocessor directive '#include' in a blank", 10},
      {"#\\\ninclude <stdio.h>\n", "a line of a blank ends in a backslash", 9},
      {"    f = 1; // goes on \\\n", "a line of a blank ends in a backslash", 9},
      {"    f = 1; // goes on \\  \n", "a line of a blank ends in a backslash", 9},
      {"    f = 1; // goes on \\\r\n", "a line of a blank ends in a backslash", 9},
      {"    f = 1; /\\\n/ joined\n", "a line of a blank ends in a backslash", 9},
      {"?\?=include <stdio.h>\n", "'?\?=' is a trigraph", 9},
      {"    f = 1; // what?\?/\n", "'?\?/' is a trigraph", 9},
      {"    a(?\?>;\n", "'?\?>' is a trigraph", 9},
  };
  CHECK(std::size(list) >= 25);
  for (const Hostile& hostile : list) {
    const Spliced result = spliced(filled(hostile.region));
    INFO(hostile.region << result.diff);
    REQUIRE(result.kind == SpliceKind::kRefused);
    INFO(result.refusals[0].text());
    CHECK(result.refusals[0].what.find(hostile.what) == 0);
    CHECK(result.refusals[0].where.line == hostile.line);
    CHECK(result.refusals[0].where.column > 0);
    CHECK_FALSE(result.refusals[0].source_line.empty());
  }
}

TEST_CASE("hostile expressions are refused where they stand") {
  const std::pair<const char*, const char*> list[] = {
      {"1); evil(); f(1", "')' closes what blank 'left' did not open"},
      {"1; evil()", "';' ends the statement around the blank"},
      {"1 + (2", "'(' is not closed in blank 'left'"},
      {"1 }", "'}' closes what blank 'left' did not open"},
      {"1 /* open", "this comment is not closed"},
      {"\"open", "this string is not closed"},
      {"R\"(open", "this raw string is not closed"},
      {"1\n#define evil\n", "a preprocessor directive in an expression blank"},
      {"1\n#pragma unroll\n", "a preprocessor directive in an expression blank"},
      {"1 ?\?/ 2", "'?\?/' is a trigraph"},
      {"a ______ b", "blank 'left' still holds"},
  };
  for (const auto& [left, what] : list) {
    const Spliced result = spliced(filled(kRegion, left));
    INFO(left << "\n" << result.diff);
    REQUIRE(result.kind == SpliceKind::kRefused);
    INFO(result.refusals[0].text());
    CHECK(result.refusals[0].what.find(what) == 0);
    const bool on_next_line = std::string(left).find("\n#") != std::string::npos;
    CHECK(result.refusals[0].where.line == (on_next_line ? 12 : 11));
  }
}

TEST_CASE("what is ordinary code is let through") {
  for (const char* region :
       {"#pragma unroll 4\n    for (;;) { break; }\n", "    #pragma unroll\n    f();\n", "    _Pragma(\"unroll\") f();\n",
        "    const char* s = \"} /* // #\"; f();\n", "    f(); // }}} \" '\n", "    /* } */ f(); /* { */\n",
        "    const char* s = R\"(} \" /* )\"; f();\n", "    char c = '}', d = '\\''; f();\n", "    x = a ? b : c; y = p ?? q;\n",
        "    a */ b;\n", "    f(); // // <<< blank factor\n", "    asm volatile(\"add.f32 %0, %1;\" : \"=f\"(a) : \"f\"(b));\n",
        "    int n = 1'000'000;\n"}) {
    const Spliced result = spliced(filled(region));
    INFO(region << result.diff << (result.refusals.empty() ? "" : result.refusals[0].text()));
    CHECK(result.kind == SpliceKind::kReady);
  }
  for (const char* left :
       {"[&] { int a = 1; return a; }()", "float2{1, 2}.x", "f(a, g(b, c))", "a < b ? c : d", "a\n +\n b", "a /* why */", "a // why\n"}) {
    const Spliced result = spliced(filled(kRegion, left));
    INFO(left << result.diff << (result.refusals.empty() ? "" : result.refusals[0].text()));
    REQUIRE(result.kind == SpliceKind::kReady);
    CHECK(result.source.blanks[2].text == "min(1, 2)");
  }
}

TEST_CASE("a marker line cannot swallow the first line of its blank") {
  const Spliced result = spliced(replaced(filled("    if (x) {\n    }\n"), "about 2 lines\n", "about 2 lines \\\n"));
  REQUIRE(result.kind == SpliceKind::kChangedOutside);
  CHECK(result.change.text().find("work/exercise.cu:8:1: error: a marker line ends in a backslash") == 0);
  CHECK(result.diff.find("about 2 lines \\") != std::string::npos);
}

TEST_CASE("two blanks on one line part where the first can end") {
  const Spliced result = spliced(filled(kRegion, "min(a, b)", "c"));
  REQUIRE(result.kind == SpliceKind::kReady);
  CHECK(result.source.blanks[1].text == "min(a, b)");
  CHECK(result.source.blanks[2].text == "c");
}

TEST_CASE("text changed outside the blanks is a veto with a unified diff") {
  const Spliced result = spliced(replaced(filled(), "i += blockDim.x", "i += 1"));
  REQUIRE(result.kind == SpliceKind::kChangedOutside);
  CHECK(result.change.where.line == 7);
  CHECK(result.change.where.column == 41);
  CHECK(result.diff == R"(--- exercise.cu
+++ work/exercise.cu
@@ -4,7 +4,7 @@
 
 __global__ void scale(const float* x, float* y, int n) {
   const char* note = "two  spaces";
-  for (int i = threadIdx.x; i < n; i += blockDim.x) {
+  for (int i = threadIdx.x; i < n; i += 1) {
     // >>> blank factor: the factor, about 2 lines
     float f = 2;
     // <<< blank factor
)");
}

TEST_CASE("every way to change something outside is found") {
  const std::pair<const char*, const char*> changes[] = {
      {"// Scales rows.", "// Scales rows"},
      {"// Scales rows.\n#define", "// Scales rows. #define"},
      {"#define SQUARE(v)", "#define SQUARE (v)"},
      {"((v) * (v))\n\n__global__", "((v) * (v)) __global__"},
      {"\"two  spaces\"", "\"two spaces\""},
      {"int n) {", "intn) {"},
      {"const float* x", "const float * \\\n x, "},
      {"float* y, int n) {\n  const", "float* y, in\\\nt n) { evil();\n  const"},
      {"    // <<< blank factor\n", ""},
      {"    // >>> blank factor: the factor, about 2 lines\n", ""},
      {"    // <<< blank factor\n", "    // <<< blank factor\n    evil();\n    // <<< blank factor\n"},
      {"    // <<< blank factor\n", "    // >>> blank other: x\n    // <<< blank other\n    // <<< blank factor\n"},
      {"    // <<< blank factor\n", "    // <<< blank launch\n"},
      {"    // >>> blank factor: the factor", "    /* // >>> blank factor: the factor"},
      {"    // >>> blank factor: the factor", "    R\"( // >>> blank factor: the factor"},
      {"about 2 lines\n", "about 2 lines \\\n"},
      {"#include <cuda_runtime.h>\n", "#include <cuda_runtime.h>\n#include <stdio.h>\n"},
      {"+ 1;", "+ 1; evil();"},
      {"+ 1;", "+ 1; // mine"},
      {"extern \"C\"", "static int a; extern \"C\""},
      {"y[i] = combine", "y [i+1] = combine"},
  };
  for (const auto& [from, to] : changes) {
    const Spliced result = spliced(replaced(filled(), from, to));
    INFO(from << " -> " << to << (result.refusals.empty() ? "" : result.refusals[0].text()));
    REQUIRE(result.kind == SpliceKind::kChangedOutside);
    CHECK(result.diff.find("--- exercise.cu\n+++ work/exercise.cu\n@@ ") == 0);
    CHECK(result.change.where.line > 0);
    CHECK_FALSE(result.change.what.empty());
  }
  CHECK(spliced("\n").kind == SpliceKind::kChangedOutside);
  CHECK(spliced("int main() {}\n").diff.find("-#include <cuda_runtime.h>") != std::string::npos);
}

TEST_CASE("a hostile megabyte is answered in time") {
  std::string commas = "a";
  while (commas.size() < 900'000) commas += ",a";
  CHECK(spliced(filled(kRegion, commas)).kind == SpliceKind::kReady);
  CHECK(spliced(filled(kRegion, commas + ";")).kind == SpliceKind::kRefused);
  std::string braces(900'000, '{');
  CHECK(spliced(filled(braces + "\n")).kind == SpliceKind::kRefused);
  std::string lines;
  while (lines.size() < 900'000) lines += "x;\n";
  CHECK(spliced(lines).diff.size() < 20'000);
  CHECK(spliced(std::string(900'000, '\\')).kind == SpliceKind::kChangedOutside);
}

TEST_CASE("the host text has host blanks and no device blanks") {
  const Spliced one = spliced(filled()), other = spliced(filled("    float f = 7;\n    f += 1;\n", "f", "x[0]"));
  CHECK(one.source.host_text == other.source.host_text);
  CHECK(one.source.host_text.find("scale<<<1, 32>>>(x, y, n);") != std::string::npos);
  CHECK(one.source.host_text.find("float f") == std::string::npos);
  CHECK(one.source.host_text.find("______") == std::string::npos);
  CHECK(spliced(filled(kRegion, "f", "x[0]", "  scale<<<2, 32>>>(x, y, n);\n")).source.host_text != one.source.host_text);
  // A host blank is there, so the host half may differ.
  CHECK_FALSE(one.source.only_device_blanks);
}

TEST_CASE("device blanks alone leave the host half as it is, unless they hold what the host sees") {
  const std::string exercise =
      "__device__ float f(float a) {\n  // >>> blank b: x\n  // <<< blank b\n}\n__host__ __device__ void both() {}\nvoid host() {}\n";
  Task task;
  task.blanks = {{"b", BlankScope::kDevice, 1}};
  const auto only_device = [&](const std::string& text, const std::string& fill) {
    const auto result = splice(text, "e", replaced(text, "  // <<< blank b", fill + "\n  // <<< blank b"), "l", task);
    REQUIRE(result);
    REQUIRE(result->kind == SpliceKind::kReady);
    return result->source.only_device_blanks;
  };
  CHECK(only_device(exercise, "return a;"));
  CHECK(only_device(exercise, "#pragma unroll 4\n for (;;) a += [&] { return 1; }();"));
  CHECK_FALSE(only_device(exercise, "struct S { __host__ void g() {} };"));
  CHECK_FALSE(only_device(exercise, "k<<<1, 2>>>();"));
  CHECK_FALSE(only_device(exercise, "#pragma GCC poison f\n return a;"));
  CHECK_FALSE(only_device(replaced(exercise, "__device__ float", "__host__ __device__ float"), "return a;"));
  CHECK_FALSE(only_device(replaced(exercise, "__device__ float", "float"), "return a;"));
  CHECK_FALSE(only_device("__device__ int z;\n  // >>> blank b: x\n  // <<< blank b\n", "__device__ float g(float a) { return a; }"));
  CHECK(only_device(replaced(exercise, "__device__ float", "namespace n { struct S { static __device__ float"), "return a;"));
}

TEST_CASE("an exercise that is not what the manifest says is the author's error") {
  Task task = exercise_task();
  const auto error = [&](const std::string& text) {
    const auto result = splice(text, "exercise.cu", filled(), "l", task);
    return result ? std::string("fine") : result.error().text();
  };
  CHECK(error(replaced(kExercise, "______, ", "")).find("exercise.cu: error: holds 3 blanks, the manifest declares 4") == 0);
  CHECK(error(replaced(kExercise, "    // <<< blank factor\n", ""))
            .find("exercise.cu:14:1: error: blank 'launch' opens inside blank 'factor'") == 0);
  CHECK(error(replaced(kExercise, "  // <<< blank launch\n", "")).find("blank 'launch' is not closed") != std::string::npos);
  CHECK(error("/* open\n").find("this comment is not closed") != std::string::npos);
  std::swap(task.blanks[0], task.blanks[3]);
  CHECK(error(kExercise).find("this blank is 'factor', the manifest's blank 1 is 'launch'") != std::string::npos);
}

TEST_CASE("exercise and solution are a pair when they differ in the blanks alone") {
  CHECK(check_pair(kExercise, "exercise.cu", filled(), "solution.cu", exercise_task()));
  const auto changed =
      check_pair(kExercise, "exercise.cu", replaced(filled(), "// Scales rows.", "// Scales the rows."), "solution.cu", exercise_task());
  REQUIRE_FALSE(changed);
  CHECK(changed.error().what.find("exercise and solution differ outside the blanks:\n--- exercise.cu\n+++ solution.cu\n") == 0);
  CHECK(check_pair(kExercise, "exercise.cu", kExercise, "solution.cu", exercise_task()).error().what.find("blank 'factor' is empty") == 0);
}

TEST_CASE("files that are no submissions are named errors") {
  const auto folder = std::filesystem::temp_directory_path() / ("warpbook 提交 " + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "folder.cu");
  REQUIRE(write_file(folder / "binary.cu", std::string("\x7f"
                                                       "ELF\0\1\2",
                                                       7)));
  REQUIRE(write_file(folder / "utf16.cu", "\xff\xfei\0n\0t\0"));
  REQUIRE(write_file(folder / "empty.cu", " \n\n"));
  REQUIRE(write_file(folder / "large.cu", ""));
  std::filesystem::resize_file(folder / "large.cu", 100u << 20);
  REQUIRE(write_file(folder / "good.cu", "\xEF\xBB\xBFint a;\r\n"));
  const auto what = [&](const char* name) { return read_submission(folder / name).error().what; };
  CHECK(what("folder.cu") == "is a directory, expected a file");
  CHECK(what("binary.cu") == "is not UTF-8 text, expected CUDA C++ source");
  CHECK(what("utf16.cu") == "is not UTF-8 text, expected CUDA C++ source");
  CHECK(what("empty.cu") == "is empty, expected CUDA C++ source");
  CHECK(what("large.cu") == "is 104857600 bytes long, at most 1048576 are read");
  CHECK(what("absent.cu").find("cannot be opened") == 0);
  CHECK(whole_file(folder / "good.cu")->text == "int a;\n");
  std::filesystem::remove_all(folder);
}
