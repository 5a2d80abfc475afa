#include "judge/gpu/copy_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace warpbook::gpu {
namespace {

constexpr std::uint64_t kCopyUnit = 16;  // what copies.cu moves at a time
constexpr std::uint64_t kCopyPitch = 512;
constexpr std::uint64_t kHandleUnit = std::uint64_t{2} << 20;
constexpr std::uint64_t kLooked = std::uint64_t{1} << 20;  // at either end of a copy

std::uint64_t multiple_of(std::uint64_t unit, std::uint64_t value) { return (value + unit - 1) / unit * unit; }

template <class T>
std::vector<std::byte> as_bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace

Result<CopySets> CopySets::make(Driver& driver, std::uint64_t bytes, std::uint32_t count) {
  CopySets sets(driver);
  sets.bytes_ = multiple_of(kCopyUnit, std::max<std::uint64_t>(bytes / 2, kCopyUnit));
  sets.pitch_ = multiple_of(kCopyPitch, sets.bytes_);
  sets.count_ = count;
  if (Status ok = sets.fill(); !ok) return std::move(ok).error();
  return sets;
}

/// Random bytes, the same for all sets: a copy does not look at them, and the host makes them once.
Status CopySets::fill() {
  const std::uint64_t all = multiple_of(kHandleUnit, count_ * pitch_);
  if (2 * all > driver_->free_bytes())
    return Error{fmt::format("copies take {} MB of the GPU's memory; less is free", 2 * all / 1'000'000)};
  for (std::uint64_t* address : {&from_, &to_}) {
    Result<std::uint64_t> allocated = driver_->allocate(all);
    if (!allocated) return allocated.error();
    *address = *allocated;
  }
  std::mt19937_64 random(1);
  std::vector<std::byte> some(static_cast<std::size_t>(std::min<std::uint64_t>(all, std::uint64_t{32} << 20)));
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= some.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t bits = random();
    std::memcpy(some.data() + at, &bits, sizeof bits);
  }
  if (Status ok = driver_->write(from_, some); !ok) return ok;
  for (std::uint64_t filled = some.size(); filled < all; filled *= 2)
    if (Status ok = driver_->copy(from_ + filled, from_, std::min(filled, all - filled)); !ok) return ok;
  return driver_->synchronize();
}

Result<std::vector<run::ArgumentSets>> CopySets::arguments() const {
  const Result<IpcHandle> from = driver_->export_memory(from_), to = driver_->export_memory(to_);
  if (!from) return from.error();
  if (!to) return to.error();
  const auto group = [&](CopyKind kind) {
    run::ArgumentSets sets;
    sets.arguments = {run::SharedTensor{*from, 0}, run::SharedTensor{*to, 0}, as_bytes_of(bytes_),
                      as_bytes_of(static_cast<std::int32_t>(kind))};
    sets.strides = {pitch_, pitch_, 0, 0};
    sets.count = count_;
    return sets;
  };
  std::vector<run::ArgumentSets> groups = {group(CopyKind::kNothing)};
  for (const CopyKind kind : copy_kinds()) groups.push_back(group(kind));
  return groups;
}

Status CopySets::clear() {
  const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min(bytes_, kLooked)));
  if (Status ok = driver_->write(to_, zeros); !ok) return ok;
  if (Status ok = driver_->write(to_ + bytes_ - zeros.size(), zeros); !ok) return ok;
  return driver_->synchronize();
}

Result<bool> CopySets::holds_the_copy() const {
  std::vector<std::byte> source(static_cast<std::size_t>(std::min(bytes_, kLooked))), copied(source.size());
  for (const std::uint64_t at : {std::uint64_t{0}, bytes_ - source.size()}) {
    if (Status ok = driver_->read(source, from_ + at); !ok) return ok.error();
    if (Status ok = driver_->read(copied, to_ + at); !ok) return ok.error();
    if (source != copied) return false;
  }
  return true;
}

}  // namespace warpbook::gpu
