#include "judge/toolchain/line_table.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::toolchain;

TEST_CASE("quoted names are written and read back") {
  CHECK(unescaped("work/05 \\345\\261\\202/a\\\\b \\\"c\\\"") == "work/05 \xe5\xb1\x82/a\\b \"c\"");
  for (const char* name : {"plain", "a \"b\" \\ c", "\xe5\xb1\x82/\xe4\xb8\xad", ""}) CHECK(unescaped(escaped(name)) == name);
  CHECK(unescaped("a\\") == "a\\");
}

TEST_CASE("the scratch folder goes from the line table, and from nowhere else") {
  const std::string ptx = ".file 1 \"/c \\345\\261\\202/tmp/work/ex.cu\"\n// /c/tmp/x\n\t.file\t2 \"/usr/x.h\"\nlast";
  CHECK(without_folder(ptx, "/c \xe5\xb1\x82/tmp") == ".file 1 \"work/ex.cu\"\n// /c/tmp/x\n\t.file\t2 \"/usr/x.h\"\nlast");
  CHECK(without_folder("", "/c").empty());
}

TEST_CASE("a PTX line leads to its source line") {
  const std::string ptx =
      ".func f(\n"                                                       // 1
      ")\n{\n"                                                           // 2 3
      ".loc 1 10 0\n"                                                    // 4
      "add;\n"                                                           // 5
      "}\n"                                                              // 6
      ".entry k(\n"                                                      // 7
      ")\n{\n"                                                           // 8 9
      "mov;\n"                                                           // 10
      ".loc\t1 20 3\n"                                                   // 11
      ".loc 1 0 3\n"                                                     // 12: no line, the one before holds
      "sub;\n"                                                           // 13
      ".loc 2 5 1, function_name $L__info_string0, inlined_at 1 22 9\n"  // 14
      "mul;\n"                                                           // 15
      ".loc 2 6 1\n"                                                     // 16
      "}\n"
      ".file 1 \"ex.cu\"\n.file 2 \"h.h\"\n";
  CHECK(source_of(ptx, 5, "ex.cu").line == 10);
  CHECK(source_of(ptx, 7, "ex.cu").line == 20);  // a function's head: its first place
  CHECK(source_of(ptx, 10, "ex.cu").line == 20);
  CHECK(source_of(ptx, 13, "ex.cu").line == 20);
  CHECK(source_of(ptx, 15, "ex.cu").line == 22);
  CHECK(source_of(ptx, 15, "ex.cu").file == "ex.cu");
  CHECK(source_of(ptx, 15, "h.h").line == 5);
  CHECK(source_of(ptx, 17, "ex.cu").file == "h.h");
  CHECK(source_of("", 3, "ex.cu").line == 0);
}
