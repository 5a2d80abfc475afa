#include "judge/cudart/program_file.hpp"

#include <elf.h>

#include <cstring>

#include "judge/base/files.hpp"
#include "judge/tests/temporary_folder.hpp"

using namespace warpbook;

namespace {

struct File {
  TemporaryFolder folder{"program"};
  std::filesystem::path path = folder / "program";
  explicit File(const std::string& bytes) { REQUIRE(write_file(path, bytes)); }
};

template <class T>
void put(std::string& bytes, std::size_t at, const T& value) {
  bytes.resize(std::max(bytes.size(), at + sizeof value));
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// An ELF file with nothing but a section of device code, of two objects one behind the other.
std::string elf_with(const std::string& device_code) {
  std::string bytes;
  const std::string names("\0.nv_fatbin\0.shstrtab\0", 22);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_shnum = 3;
  head.e_shstrndx = 2;
  head.e_shoff = 1024 + device_code.size();
  put(bytes, 0, head);
  bytes.resize(512);
  bytes += names;
  bytes.resize(1024);
  bytes += device_code;
  Elf64_Shdr code{}, strings{};
  code.sh_type = strings.sh_type = SHT_PROGBITS;
  code.sh_name = 1;
  code.sh_offset = 1024;
  code.sh_size = device_code.size();
  strings.sh_name = 12;
  strings.sh_offset = 512;
  strings.sh_size = names.size();
  put(bytes, head.e_shoff, Elf64_Shdr{});
  put(bytes, head.e_shoff + sizeof code, code);
  put(bytes, head.e_shoff + 2 * sizeof code, strings);
  return bytes;
}

std::string padded_sample(const char* name) {
  std::string text = read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/cudart/testdata/" + name).value();
  text.resize((text.size() + 7) / 8 * 8);
  return text;
}

}  // namespace

TEST_CASE("targets of all objects of a program are found") {
  const File file(elf_with(padded_sample("sample_machine.fatbin") + padded_sample("sample_many.fatbin")));
  const auto program = cudart::examine_program(file.path);
  REQUIRE(program);
  CHECK(program->has_device_code);
  CHECK(program->ptx == std::vector<int>{75, 80, 90});
  CHECK(program->machine_code == std::vector<int>{80});
  CHECK_FALSE(program->dynamic);
}

TEST_CASE("a program that is no CUDA program, and a file that is no program") {
  const auto self = cudart::examine_program("/proc/self/exe");
  REQUIRE(self);
  CHECK(self->dynamic);
  CHECK_FALSE(self->has_device_code);
  CHECK(std::find(self->needed.begin(), self->needed.end(), "libc.so.6") != self->needed.end());
  const File text("#!/bin/sh\nexit 0\n");
  REQUIRE_FALSE(cudart::examine_program(text.path));
  CHECK(cudart::examine_program(text.path).error().what.find("neither a .cu file nor an ELF executable") != std::string::npos);
}

TEST_CASE("a damaged program is read as far as it goes") {
  std::string bytes = elf_with(padded_sample("sample_none.fatbin"));
  for (std::size_t length : {64u, 100u, 600u, 1030u, 1100u}) {
    const File file(bytes.substr(0, length));
    CHECK_NOTHROW(cudart::examine_program(file.path));
  }
}
