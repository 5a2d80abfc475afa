#pragma once
// For tests: a toolkit of shell scripts, so that caching, limits and failures are tested on machines without nvcc.
//
// Its language: a line with DEVICE is device code, a line with KERNEL is part of the stub (what the host half takes from the device half),
// all else is C++. Words in a device line make its tools misbehave: SLEEP, SYNTAX, CRASH, FULL, ASM.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/tests/catch.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::toolchain {

class FakeToolkit {
 public:
  FakeToolkit() {
    std::filesystem::remove_all(folder);
    const std::string bin = (root() / "bin").string();
    script("nvcc", "echo nvcc >> \"$LOG\"; case \"$1\" in --dryrun) cat \"" + (root() / "listing").string() + "\" >&2;; --list-gpu-code) echo sm_90;; *) exit 9;; esac");
    script("cudafe++",
           "echo cudafe++ >> \"$LOG\"; awk '/DEVICE/ { print \"#if 0\"; print; print \"#endif\"; next } !/KERNEL/' unit.cpp4.ii > "
           "unit.cudafe1.cpp");
    script("cicc",
           "echo cicc >> \"$LOG\"\n"
           "grep -q SLEEP unit.cpp1.ii && sleep 60\n"
           "grep -q CRASH unit.cpp1.ii && kill -SEGV $$\n"
           "grep -q FULL unit.cpp1.ii && { echo 'cicc: error writing: No space left on device' >&2; exit 1; }\n"
           "grep -q SYNTAX unit.cpp1.ii && { echo 'ex.cu(2): error: bad syntax' >&2; exit 1; }\n"
           "grep DEVICE unit.cpp1.ii > unit.ptx; grep KERNEL unit.cpp1.ii > unit.cudafe1.stub.c; "
           "true");
    script("fatbinary", "echo fatbinary >> \"$LOG\"; cat unit.ptx > unit.fatbin");
    script(
        "ptxas",
        "echo ptxas >> \"$LOG\"; grep -q ASM unit.ptx && { echo 'ptxas unit.ptx, line 1; error   : Unknown word' >&2; exit 255; }; true");
    REQUIRE(write_file(
        root() / "listing",
        "#$ PATH=" + bin +
            ":/usr/local/bin:/usr/bin:/bin\n"
            "#$ gcc -E -x c++ unit.cu -o ./unit.cpp4.ii\n"
            "#$ cudafe++ --gen_c_file_name ./unit.cudafe1.cpp --stub_file_name unit.cudafe1.stub.c --module_id_file_name ./unit.module_id\n"
            "#$ gcc -D__CUDA_ARCH__=800 -E -x c++ unit.cu -o ./unit.cpp1.ii\n"
            "#$ cicc --include_file_name unit.fatbin.c --module_id_file_name ./unit.module_id --stub_file_name ./unit.cudafe1.stub.c -o "
            "./unit.ptx\n"
            "#$ fatbinary --create=./unit.fatbin\n"
            "#$ gcc -D__CUDA_ARCH__=800 -c -x c++ -fPIC ./unit.cudafe1.cpp -o unit.o\n"));
    std::filesystem::create_directories(root() / "lib64");
    const std::string library = "gcc -shared -x c /dev/null -o '" + (root() / "lib64" / "libcudart.so").string() + "'";
    REQUIRE(std::system(library.c_str()) == 0);
    options.cache = folder / "cache \xe7\xbc\x93\xe5\xad\x98";
    REQUIRE(::setenv("LOG", log().c_str(), 1) == 0);
  }
  ~FakeToolkit() { std::filesystem::remove_all(folder); }

  Toolkit toolkit() const { return {root() / "bin" / "nvcc", root(), "13.0.0", 13, 0}; }

  CompileOutcome compile(const std::string& text, const std::string& host_key = {}) {
    std::filesystem::remove(log());
    Source source;
    source.shown_name = "ex.cu";
    source.text = text;
    source.host_key = host_key;
    source.native = native;
    return toolchain::compile(toolkit(), source, options);
  }

  /// True when the last compilation ran `tool`.
  bool ran(const std::string& tool) const { return times(tool) > 0; }

  /// How often it did.
  int times(const std::string& tool) const {
    const auto text = read_file(log());
    const std::vector<std::string> lines = text ? split_lines(*text) : std::vector<std::string>();
    return static_cast<int>(std::count(lines.begin(), lines.end(), tool));
  }

  void script(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root() / "bin" / name;
    REQUIRE(write_file(path, "#!/bin/sh\n" + text + "\n"));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  /// True when no compilation has left its scratch folder.
  bool tidy() const {
    for (const auto& file : std::filesystem::directory_iterator(options.cache))
      if (file.path().filename().string().starts_with("tmp-")) return false;
    return true;
  }

  std::filesystem::path root() const { return folder / "cuda"; }
  std::filesystem::path log() const { return folder / "log"; }

  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("warpbook fake \xe5\x81\x87 " + std::to_string(::getpid()));
  CompileOptions options;
  bool native = false;  ///< of what is compiled
};

}  // namespace warpbook::toolchain
