#include "judge/toolchain/host_text.hpp"

#include "judge/tests/catch.hpp"

using warpbook::toolchain::essence_of_host_text;

TEST_CASE("bodies of device code and line markers do not count, host code does") {
  const std::string one = "# 3 \"a.cu\"\nvoid k(float *x) ;\n#if 0\n# 3\n{ *x = 1; }\n#endif\n# 9\nint f() { return 9; }\n";
  const std::string other = "# 3 \"a.cu\"\nvoid k(float *x) ;\n#if 0\n# 3\n{\n# 4\n*x = 2; }\n#endif\n# 10\nint f() { return 9; }\n";
  CHECK(essence_of_host_text(one) == essence_of_host_text(other));
  CHECK(essence_of_host_text(one) == "void k(float *x) ;\nint f() { return 9; }\n");
  const std::string changed = "# 3 \"a.cu\"\nvoid k(float *x) ;\n#if 0\n#endif\n# 9\nint f() { return 10; }\n";
  CHECK(essence_of_host_text(one) != essence_of_host_text(changed));
}

TEST_CASE("conditions inside a dropped part do not end it early") {
  CHECK(essence_of_host_text("a\n#if 0\n#ifdef X\nb\n#endif\nc\n#endif\nd\n") == "a\nd\n");
  CHECK(essence_of_host_text("#if 1\na\n#endif\n") == "#if 1\na\n#endif\n");
}

TEST_CASE("line markers count where the compiler turns them into values") {
  CHECK(essence_of_host_text("# 1\nint x = __builtin_LINE();\n") != essence_of_host_text("# 2\nint x = __builtin_LINE();\n"));
}

TEST_CASE("texts without a last line end are read to their end") {
  CHECK(essence_of_host_text("a\nb") == "a\nb");
  CHECK(essence_of_host_text("").empty());
}
