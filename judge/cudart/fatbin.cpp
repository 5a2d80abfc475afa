#include "judge/cudart/fatbin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "judge/cudart/decompress.hpp"

namespace warpbook::cudart {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243B1;
constexpr std::uint32_t kHeaderMagic = 0xBA55ED50;
constexpr std::uint16_t kHeaderSize = 16;
constexpr std::uint32_t kSmallestEntryHeader = 64;
constexpr std::uint64_t kLargestPtx = std::uint64_t{64} << 20;

constexpr std::uint16_t kKindPtx = 1, kKindMachineCode = 2;
constexpr std::uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;  // 1: one fat binary; 2: linked by nvlink (-rdc=true)
  const std::byte* data;
  const void* more;
};

struct HeaderLayout {
  std::uint32_t magic;
  std::uint16_t version, header_size;
  std::uint64_t size;  // of all entries
};
static_assert(sizeof(HeaderLayout) == kHeaderSize);

struct EntryLayout {
  std::uint16_t kind, version;
  std::uint32_t header_size;
  std::uint64_t payload_size;  // padded
  std::uint32_t compressed_size, options_offset;
  std::uint16_t minor, major;
  std::uint32_t arch, name_offset, name_length;
  std::uint64_t flags, reserved, uncompressed_size;
};
static_assert(sizeof(EntryLayout) == kSmallestEntryHeader);

Error broken(std::size_t at, std::string what) { return Error{fmt::format("fat binary, byte {}: {}", at, what)}; }

/// What a reader of the error wants to know: which targets are there.
std::string targets(const std::vector<FatEntry>& entries, EntryKind kind, std::string_view prefix) {
  std::string list;
  for (const FatEntry& entry : entries)
    if (entry.kind == kind) list += fmt::format("{}{}{}", list.empty() ? "" : ", ", prefix, entry.arch);
  return list;
}

}  // namespace

Result<std::span<const std::byte>> fat_binary_of(const void* wrapper) {
  Wrapper head;
  std::memcpy(&head, wrapper, sizeof head);
  if (head.magic != kWrapperMagic)
    return Error{fmt::format("device code begins with {:#010x} when it should begin with {:#010x}", head.magic, kWrapperMagic)};
  if (head.version != 1)
    return Error{
        fmt::format("device code of wrapper version {} is not supported, only version 1: build without -rdc=true (-dc)", head.version)};
  HeaderLayout header;
  std::memcpy(&header, head.data, sizeof header);
  if (header.magic != kHeaderMagic)
    return Error{fmt::format("a fat binary begins with {:#010x} when it should begin with {:#010x}", header.magic, kHeaderMagic)};
  return std::span<const std::byte>(head.data, kHeaderSize + static_cast<std::size_t>(header.size));
}

Result<std::vector<FatEntry>> fat_entries(std::span<const std::byte> bytes) {
  HeaderLayout header;
  if (bytes.size() < sizeof header) return broken(0, fmt::format("{} bytes are no header, it has {}", bytes.size(), sizeof header));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kHeaderMagic)
    return broken(0, fmt::format("begins with {:#010x} when it should begin with {:#010x}", header.magic, kHeaderMagic));
  if (header.header_size < kHeaderSize || header.header_size > bytes.size())
    return broken(6, fmt::format("header size is {} when it should be {}", header.header_size, kHeaderSize));
  if (header.size > bytes.size() - header.header_size)
    return broken(8, fmt::format("the entries are said to have {} bytes, there are {}", header.size, bytes.size() - header.header_size));

  std::vector<FatEntry> entries;
  const std::size_t end = header.header_size + static_cast<std::size_t>(header.size);
  for (std::size_t at = header.header_size; at < end;) {
    EntryLayout layout;
    if (end - at < sizeof layout) return broken(at, fmt::format("{} bytes are no entry, it has at least {}", end - at, sizeof layout));
    std::memcpy(&layout, bytes.data() + at, sizeof layout);
    if (layout.header_size < kSmallestEntryHeader || layout.header_size > end - at)
      return broken(at + 4,
                    fmt::format("entry header size is {} when it should be {} to {}", layout.header_size, kSmallestEntryHeader, end - at));
    const std::size_t room = end - at - layout.header_size;
    if (layout.payload_size > room) return broken(at + 8, fmt::format("an entry has {} bytes, {} are left", layout.payload_size, room));
    const auto head = bytes.subspan(at, layout.header_size);
    const auto payload = bytes.subspan(at + layout.header_size, static_cast<std::size_t>(layout.payload_size));

    FatEntry entry;
    entry.kind = layout.kind == kKindPtx ? EntryKind::kPtx : layout.kind == kKindMachineCode ? EntryKind::kMachineCode : EntryKind::kOther;
    entry.arch = static_cast<int>(std::min<std::uint32_t>(layout.arch, 1u << 16));
    entry.compression = layout.flags & kFlagZstd ? Compression::kZstd : layout.flags & kFlagLz4 ? Compression::kLz4 : Compression::kNone;
    entry.payload = payload;
    if (entry.compression != Compression::kNone) {
      if (layout.compressed_size > payload.size())
        return broken(at + 16, fmt::format("compressed size is {}, only {} bytes are there", layout.compressed_size, payload.size()));
      entry.payload = payload.first(layout.compressed_size);
      entry.uncompressed_size = layout.uncompressed_size;
    }
    if (layout.name_offset <= head.size() && layout.name_length <= head.size() - layout.name_offset)
      entry.source_name = {reinterpret_cast<const char*>(head.data()) + layout.name_offset, layout.name_length};
    entries.push_back(entry);
    at += layout.header_size + static_cast<std::size_t>(layout.payload_size);
  }
  return entries;
}

Result<std::string> ptx_text(const FatEntry& entry) {
  std::string text;
  if (entry.compression == Compression::kNone) {
    text.assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
  } else {
    if (entry.uncompressed_size > kLargestPtx)
      return Error{fmt::format("PTX of {} bytes is too long, at most {} are read", entry.uncompressed_size, kLargestPtx)};
    const auto size = static_cast<std::size_t>(entry.uncompressed_size);
    Result<std::string> unpacked =
        entry.compression == Compression::kZstd ? unpack_zstd(entry.payload, size) : unpack_lz4(entry.payload, size);
    if (!unpacked) return unpacked;
    text = std::move(*unpacked);
  }
  constexpr std::string_view kPadding("\0\n", 2);
  const std::size_t last = text.find_last_not_of(kPadding);
  text.resize(last == std::string::npos ? 0 : last + 1);
  text.erase(0, std::min(text.find_first_not_of(kPadding), text.size()));
  text += '\n';
  return text;
}

Result<std::string> best_ptx(std::span<const std::byte> fat_binary, int arch) {
  const Result<std::vector<FatEntry>> entries = fat_entries(fat_binary);
  if (!entries) return entries.error();
  const FatEntry* best = nullptr;
  for (const FatEntry& entry : *entries)
    if (entry.kind == EntryKind::kPtx && entry.arch <= arch && (!best || entry.arch > best->arch)) best = &entry;
  if (best) return ptx_text(*best);
  const std::string advice = fmt::format("rebuild with -gencode arch=compute_{0},code=compute_{0}", arch);
  if (const std::string newer = targets(*entries, EntryKind::kPtx, "compute_"); !newer.empty())
    return Error{fmt::format("the program holds PTX for {}, which is newer than this device (sm_{}): {}", newer, arch, advice)};
  const std::string machine = targets(*entries, EntryKind::kMachineCode, "sm_");
  return Error{
      fmt::format("the program holds no PTX{}: {}", machine.empty() ? "" : fmt::format(", only machine code for {}", machine), advice)};
}

}  // namespace warpbook::cudart
