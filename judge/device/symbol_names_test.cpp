#include "judge/device/symbol_names.hpp"

#include "judge/tests/catch.hpp"

using namespace warpbook::device;

TEST_CASE("the hash of a file leaves a name and nothing else does") {
  CHECK(without_file_hash("_ZN32_GLOBAL__N__a1839191_4_a_cu_main3hidEPfi") == "_ZN32_GLOBAL__N___4_a_cu_main3hidEPfi");
  CHECK(without_file_hash("_ZN33_INTERNAL_b3363e7f_4_b_cu__Z2goPf35_GLOBAL__N__b3363e7f_4_b_cu__Z2goPf4anonE") ==
        "_ZN33_INTERNAL__4_b_cu__Z2goPf35_GLOBAL__N___4_b_cu__Z2goPf4anonE");
  CHECK(without_file_hash("__nv_static_41__b3363e7f_4_b_cu__Z2goPf__Z3hidPf") == "__nv_static_41___4_b_cu__Z2goPf__Z3hidPf");
  // No definition with external linkage: a second hash.
  CHECK(without_file_hash("_ZN36_GLOBAL__N__4d146a57_4_a_cu_5e87d4dc2lnEPKfPf") == "_ZN36_GLOBAL__N___4_a_cu_2lnEPKfPf");
  for (const char* plain :
       {"", "_", "_Z3hidPfi", "_GLOBAL__N__", "_GLOBAL__N__a183919", "_GLOBAL__N__a1839191", "_GLOBAL__N__A1839191_4_a_cu_main",
        "_GLOBAL__N__a1839191_9999999999999999999999_a", "_GLOBAL__N__a1839191_4_a_c", "_INTERNAL_a1839191_4_", "a1839191_4_a_cu",
        "__nv_static_", "__nv_static_41_b3363e7f_4"})
    CHECK(without_file_hash(plain) == plain);
}

TEST_CASE("a name is found exactly first, then without its hash, never by guessing") {
  const NameIndex index({"_ZN9_GLOBAL__N__aaaaaaaa_1_a_1kEv", "plain", "_GLOBAL__N__11111111_1_a_x", "_GLOBAL__N__22222222_1_a_x"});
  CHECK(index.find("plain") == "plain");
  CHECK(index.find("_ZN9_GLOBAL__N__bbbbbbbb_1_a_1kEv") == "_ZN9_GLOBAL__N__aaaaaaaa_1_a_1kEv");
  CHECK(index.find("_GLOBAL__N__22222222_1_a_x") == "_GLOBAL__N__22222222_1_a_x");
  CHECK(index.find("_GLOBAL__N__33333333_1_a_x").empty());  // either could be meant
  CHECK(index.find("other").empty());
}
