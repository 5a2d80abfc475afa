// Only three things are wanted of an ELF file (sections by name, the dynamic section, its strings), so they are read here, bounds checked,
// instead of through a library. Fat binaries lie one behind the other in .nv_fatbin, one for each object that was linked.
#include "judge/cudart/program_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <span>

#include "judge/base/files.hpp"
#include "judge/cudart/fatbin.hpp"

namespace warpbook::cudart {
namespace {

constexpr std::uint64_t kLargestProgram = std::uint64_t{1} << 30;
constexpr std::size_t kFatHeaderBytes = 16, kFatAlignment = 8;

using Bytes = std::span<const std::byte>;

template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t at) {
  if (at > bytes.size() || sizeof(T) > bytes.size() - at) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The bytes [at, at + size), or none when they are not all there.
Bytes piece(Bytes bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return {};
  return bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
}

std::string string_at(Bytes table, std::uint64_t at) {
  std::string text;
  for (; at < table.size() && table[static_cast<std::size_t>(at)] != std::byte{0}; ++at)
    text += static_cast<char>(table[static_cast<std::size_t>(at)]);
  return text;
}

void add_targets(Bytes section, ProgramFile& program) {
  std::set<int> ptx, machine_code;
  for (std::size_t at = 0; at + kFatHeaderBytes <= section.size();) {
    std::uint64_t size = 0;
    std::memcpy(&size, section.data() + at + kFatAlignment, sizeof size);
    const Bytes one = piece(section, at, std::min<std::uint64_t>(size, section.size()) + kFatHeaderBytes);
    const Result<std::vector<FatEntry>> entries = fat_entries(one);
    if (!entries) {
      at += kFatAlignment;  // padding between two of them
      continue;
    }
    for (const FatEntry& entry : *entries) {
      if (entry.kind == EntryKind::kPtx) ptx.insert(entry.arch);
      if (entry.kind == EntryKind::kMachineCode) machine_code.insert(entry.arch);
    }
    at += one.size();
  }
  program.ptx.assign(ptx.begin(), ptx.end());
  program.machine_code.assign(machine_code.begin(), machine_code.end());
}

void add_needed(Bytes dynamic, Bytes strings, ProgramFile& program) {
  program.dynamic = true;
  for (std::size_t at = 0; const auto entry = read_at<Elf64_Dyn>(dynamic, at); at += sizeof(Elf64_Dyn)) {
    if (entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_NEEDED) program.needed.push_back(string_at(strings, entry->d_un.d_val));
  }
}

}  // namespace

Result<ProgramFile> examine_program(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, kLargestProgram);
  if (!text) return text.error();
  const Bytes bytes = std::as_bytes(std::span(*text));
  const auto head = read_at<Elf64_Ehdr>(bytes, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
    return Error{"is no program: it is neither a .cu file nor an ELF executable", {file.string()}};
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
    return Error{"is a program for another kind of machine", {file.string()}};
  const auto section = [&](std::uint64_t index) { return read_at<Elf64_Shdr>(bytes, head->e_shoff + index * sizeof(Elf64_Shdr)); };
  const auto content = [&](const Elf64_Shdr& s) { return s.sh_type == SHT_NOBITS ? Bytes{} : piece(bytes, s.sh_offset, s.sh_size); };
  ProgramFile program;
  const auto names = section(head->e_shstrndx);
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto one = section(i);
    if (!one || !names) break;
    if (string_at(content(*names), one->sh_name) == ".nv_fatbin") {
      program.has_device_code = true;
      add_targets(content(*one), program);
    }
    if (one->sh_type != SHT_DYNAMIC) continue;
    const auto strings = section(one->sh_link);
    add_needed(content(*one), strings ? content(*strings) : Bytes{}, program);
  }
  return program;
}

}  // namespace warpbook::cudart
