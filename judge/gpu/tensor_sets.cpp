#include "judge/gpu/tensor_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "common/inputs/element.hpp"
#include "judge/grade/case_runner.hpp"

namespace warpbook::gpu {
namespace {

constexpr std::uint64_t kColderThan = 4;  // times the L2 cache
constexpr std::uint32_t kFewestSets = 2, kMostSets = 4096;
constexpr double kFastestMemory = 8e12, kFastestLaunch = 2e-6;  // bytes a second, seconds: no GPU of today is faster
constexpr std::uint64_t kPitch = 512;                           // allocations of the driver are aligned to as much
constexpr std::uint64_t kWhole = std::uint64_t{2} << 20;        // handles name whole allocations, which are multiples of this
constexpr unsigned kMostFillers = 8;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

grade::CaseSetup setup_for(std::uint64_t seed, bool inputs_only) {
  grade::CaseSetup setup;
  setup.seed = seed;
  setup.gpu_shape = true;
  setup.red_zone_bytes = inputs::kRedZoneBytes;
  setup.inputs_only = inputs_only;
  return setup;
}

/// A bench that has run already: what is placed is there, what is read is the snapshot.
class SnapshotBench : public grade::Bench {
 public:
  explicit SnapshotBench(const TensorSets::Snapshot& snapshot) : snapshot_(snapshot) {}

  std::int64_t red_zone_bytes() const override { return inputs::kRedZoneBytes; }
  Result<device::Address> allocate(const std::string& name, std::uint64_t bytes) override {
    for (std::size_t i = 0; i < snapshot_.names.size(); ++i)
      if (snapshot_.names[i] == name && snapshot_.memory[i].size() >= bytes) return (i + 1) << kIndexShift;
    return Error{fmt::format("tensor {} was not kept", name)};
  }
  Status write(device::Address, std::span<const std::byte>) override { return Done{}; }
  Status read(std::span<std::byte> to, device::Address from) override {
    const std::vector<std::byte>& memory = snapshot_.memory[(from >> kIndexShift) - 1];
    const std::uint64_t at = from & ((std::uint64_t{1} << kIndexShift) - 1);
    if (at + to.size() > memory.size()) return Error{"a tensor was not kept whole"};
    std::memcpy(to.data(), memory.data() + at, to.size());
    return Done{};
  }
  grade::BenchRun run(const std::filesystem::path&, const std::vector<grade::Argument>&) override { return {}; }
  std::optional<device::Traffic> traffic(device::Address) const override { return std::nullopt; }

 private:
  static constexpr int kIndexShift = 48;
  const TensorSets::Snapshot& snapshot_;
};

bool is_alone(const grade::CaseData& data, std::size_t tensor) {
  return !data.tensors[tensor].absent && data.tensors[tensor].memory == static_cast<int>(tensor);
}

}  // namespace

SetCount sets_for(std::uint64_t bytes, std::uint64_t l2_bytes, std::uint64_t room, double round_seconds) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  // One more than needed: the set that comes round again has then been followed by all others.
  const std::uint64_t cold = std::clamp<std::uint64_t>(kColderThan * l2_bytes / bytes + 2, kFewestSets, kMostSets);
  const double fastest = std::max(static_cast<double>(bytes) / kFastestMemory, kFastestLaunch);
  const auto wanted = static_cast<std::uint64_t>(2 * round_seconds / fastest);
  const std::uint64_t sets = std::max(cold, std::min({wanted, room / bytes, std::uint64_t{kMostSets}}));
  return {static_cast<std::uint32_t>(sets), static_cast<std::uint32_t>(cold)};
}

Result<std::unique_ptr<TensorSets>> TensorSets::make(Driver& driver, const task::Task& task, const task::Case& c, std::uint64_t seed,
                                                     SetCount count) {
  std::unique_ptr<TensorSets> sets(new TensorSets(driver, count, seed));
  Result<grade::CaseData> example = grade::prepare(task, c, setup_for(seed, true));
  if (!example) return std::move(example).error();
  sets->example_ = std::move(*example);
  if (Status ok = sets->allocate(); !ok) return std::move(ok).error();
  if (Status ok = sets->fill(task, c); !ok) return std::move(ok).error();
  return sets;
}

Status TensorSets::allocate() {
  std::uint64_t needed = 0;
  for (std::size_t i = 0; i < example_.tensors.size(); ++i) {
    const inputs::Placement& p = example_.tensors[i].placement;
    if (!is_alone(example_, i)) continue;
    if (p.image_bytes != p.total_bytes)
      return Error{
          fmt::format("the rows of {} lie too far apart for many sets of them; measure another case", example_.tensors[i].spec->name)};
    memories_.push_back({i, round_up(static_cast<std::uint64_t>(p.total_bytes), kPitch), 0, 0});
    needed += round_up(count_.sets * memories_.back().pitch, kWhole) + round_up(count_.own_data * memories_.back().pitch, kWhole);
  }
  if (needed > driver_.free_bytes())
    return Error{fmt::format("{} sets of tensors take {} MB; the GPU has {} MB free", count_.sets, needed / 1'000'000,
                             driver_.free_bytes() / 1'000'000)};
  for (Memory& m : memories_) {
    Result<std::uint64_t> shared = driver_.allocate(round_up(count_.sets * m.pitch, kWhole));
    Result<std::uint64_t> original = driver_.allocate(round_up(count_.own_data * m.pitch, kWhole));
    if (!shared) return shared.error();
    if (!original) return original.error();
    m.shared = *shared;
    m.original = *original;
  }
  return Done{};
}

/// Several sets at once: filling takes the processor longer than everything else here.
Status TensorSets::fill(const task::Task& task, const task::Case& c) {
  using Images = std::vector<std::vector<std::byte>>;
  const std::uint32_t together = std::clamp(std::thread::hardware_concurrency(), 1u, kMostFillers);
  for (std::uint32_t begin = 0; begin < count_.own_data; begin += together) {
    const std::uint32_t end = std::min(count_.own_data, begin + together);
    std::vector<Result<Images>> filled(end - begin, Images{});
    std::vector<std::thread> threads;
    for (std::uint32_t set = begin; set < end; ++set)
      threads.emplace_back([&, set] {
        const Result<grade::CaseData> data = grade::prepare(task, c, setup_for(seed_ + set, true));
        Result<Images>& into = filled[set - begin];
        if (!data) into = data.error();
        for (std::size_t m = 0; data && m < memories_.size(); ++m) {
          const grade::TensorData& t = data->tensors[memories_[m].tensor];
          into.value().push_back(inputs::compose(t.placement, t.dense));
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (std::uint32_t set = begin; set < end; ++set) {
      if (!filled[set - begin]) return filled[set - begin].error();
      for (std::size_t m = 0; m < memories_.size(); ++m)
        if (Status ok = driver_.write(memories_[m].original + set * memories_[m].pitch, (*filled[set - begin])[m]); !ok) return ok;
    }
  }
  return Done{};
}

Result<run::ArgumentSets> TensorSets::arguments() {
  run::ArgumentSets sets;
  sets.count = count_.sets;
  for (std::size_t p = 0; p < example_.parameters.size(); ++p) {
    sets.strides.push_back(0);
    if (!example_.scalar_bytes[p].empty()) {
      sets.arguments.emplace_back(example_.scalar_bytes[p]);
      continue;
    }
    const auto tensor = std::find_if(example_.tensors.begin(), example_.tensors.end(),
                                     [&](const grade::TensorData& t) { return t.spec->name == example_.parameters[p]; });
    if (tensor == example_.tensors.end() || tensor->absent) {
      sets.arguments.emplace_back(std::vector<std::byte>(sizeof(void*)));
      continue;
    }
    const auto memory = std::find_if(memories_.begin(), memories_.end(),
                                     [&](const Memory& m) { return m.tensor == static_cast<std::size_t>(tensor->memory); });
    Result<IpcHandle> handle = driver_.export_memory(memory->shared);
    if (!handle) return std::move(handle).error();
    sets.arguments.emplace_back(run::SharedTensor{*handle, static_cast<std::uint64_t>(tensor->placement.base)});
    sets.strides.back() = memory->pitch;
  }
  return sets;
}

Status TensorSets::deal(std::uint32_t shift, std::uint32_t first, std::uint32_t launched, std::mt19937_64& random) {
  shift_ = shift % count_.own_data;
  rows_from_.assign(count_.sets, std::nullopt);
  for (std::uint32_t dealt = 0; dealt < count_.sets;) {
    const std::uint32_t set = (first + dealt) % count_.sets;
    // As many neighbours at a time as have their originals side by side.
    const std::uint32_t run = std::min({count_.own_data - data_of(set), count_.sets - set, count_.sets - dealt});
    for (const Memory& m : memories_)
      if (Status ok = driver_.copy(m.shared + set * m.pitch, m.original + data_of(set) * m.pitch, run * m.pitch); !ok) return ok;
    dealt += run;
  }
  for (std::uint32_t i = 0; i < std::min(launched, count_.sets); ++i)
    if (Status ok = mix((first + i) % count_.sets, random); !ok) return ok;
  return driver_.synchronize();
}

Status TensorSets::mix(std::uint32_t set, std::mt19937_64& random) {
  constexpr std::uint64_t kManyRows = std::uint64_t{1} << 40;  // of which each tensor takes the rest by its own number
  const std::uint64_t other = (data_of(set) + 1 + random() % (count_.own_data - 1)) % count_.own_data;
  const auto row = static_cast<std::int64_t>(random() % kManyRows);
  rows_from_[set] = grade::RowFrom{seed_ + other, row};
  for (const Memory& m : memories_) {
    const grade::TensorData& t = example_.tensors[m.tensor];
    if (t.spec->role == operators::Role::kOutput || t.placement.rows < 2) continue;
    const auto at = static_cast<std::uint64_t>(t.placement.row_offset(row % t.placement.rows));
    const auto bytes = static_cast<std::uint64_t>(t.placement.row_bytes());
    if (Status ok = driver_.copy(m.shared + set * m.pitch + at, m.original + other * m.pitch + at, bytes); !ok) return ok;
  }
  return Done{};
}

Result<std::string> TensorSets::unwritten_in(std::uint32_t set, std::mt19937_64& random) {
  for (const Memory& m : memories_) {
    const grade::TensorData& t = example_.tensors[m.tensor];
    const inputs::Placement& p = t.placement;
    if (t.spec->role != operators::Role::kOutput || p.rows == 0 || p.cols == 0) continue;
    std::vector<std::byte> row(static_cast<std::size_t>(p.row_bytes()));
    for (const std::int64_t r : {p.rows - 1, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(p.rows))}) {
      if (Status ok = driver_.read(row, m.shared + set * m.pitch + static_cast<std::uint64_t>(p.row_offset(r))); !ok) return ok.error();
      for (std::int64_t col = 0; col < p.cols; ++col)
        if (inputs::load_bits(p.type, row, static_cast<std::size_t>(col)) == inputs::unwritten_bits(p.type))
          return fmt::format("{}[{}][{}]", t.spec->name, r, col);
    }
  }
  return std::string();
}

Result<TensorSets::Snapshot> TensorSets::snapshot(std::uint32_t set) {
  Snapshot snapshot;
  snapshot.seed = seed_ + data_of(set);
  snapshot.row_from = rows_from_.empty() ? std::nullopt : rows_from_[set];
  for (const Memory& m : memories_) {
    const grade::TensorData& t = example_.tensors[m.tensor];
    snapshot.names.emplace_back(t.spec->name);
    snapshot.memory.emplace_back(static_cast<std::size_t>(t.placement.total_bytes));
    if (Status ok = driver_.read(snapshot.memory.back(), m.shared + set * m.pitch); !ok) return ok.error();
  }
  return snapshot;
}

grade::CaseResult judge_snapshot(const task::Task& task, const task::Case& c, const TensorSets::Snapshot& snapshot) {
  SnapshotBench bench(snapshot);
  grade::CaseSetup setup = setup_for(snapshot.seed, false);
  setup.row_from = snapshot.row_from;
  return grade::run_case(task, c, setup, {}, bench);
}

}  // namespace warpbook::gpu
