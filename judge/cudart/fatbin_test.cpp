#include "judge/cudart/fatbin.hpp"

#include <cstring>
#include <random>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::cudart;

namespace {

std::string sample(const char* name) { return read_file(std::string(WARPBOOK_SOURCE_DIR) + "/judge/cudart/testdata/" + name).value(); }
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("PTX comes out of a fat binary however it was packed") {
  std::string first;
  for (const char* name : {"sample_none.fatbin", "sample_size.fatbin", "sample_speed.fatbin"}) {
    const std::string fat = sample(name);
    const auto entries = fat_entries(bytes_of(fat));
    REQUIRE(entries);
    REQUIRE(entries->size() == 1);
    CHECK(entries->at(0).kind == EntryKind::kPtx);
    CHECK(entries->at(0).arch == 80);
    const auto text = best_ptx(bytes_of(fat), 80);
    REQUIRE(text);
    CHECK(text->find(".version 9.0\n.target sm_80") == 0);
    CHECK(text->find(".visible .entry _Z5plainPi(") != std::string::npos);
    CHECK(text->substr(text->size() - 3) == "\n}\n");
    if (first.empty()) first = *text;
    CHECK(*text == first);
  }
}

TEST_CASE("the highest target that the device can run is taken") {
  const std::string fat = sample("sample_many.fatbin");
  const auto entries = fat_entries(bytes_of(fat));
  REQUIRE(entries);
  CHECK(entries->size() == 4);
  CHECK(best_ptx(bytes_of(fat), 80).value().find(".target sm_80") != std::string::npos);
  CHECK(best_ptx(bytes_of(fat), 86).value().find(".target sm_80") != std::string::npos);
  CHECK(best_ptx(bytes_of(fat), 75).value().find(".target sm_75") != std::string::npos);
  CHECK(best_ptx(bytes_of(fat), 100).value().find(".target sm_90") != std::string::npos);
  CHECK(best_ptx(bytes_of(fat), 70).error().what ==
        "the program holds PTX for compute_75, compute_80, compute_90, which is newer than this device (sm_70): rebuild with -gencode "
        "arch=compute_70,code=compute_70");
}

TEST_CASE("a binary with machine code only says how to build it anew") {
  const std::string fat = sample("sample_machine.fatbin");
  CHECK(best_ptx(bytes_of(fat), 80).error().what ==
        "the program holds no PTX, only machine code for sm_80: rebuild with -gencode arch=compute_80,code=compute_80");
}

TEST_CASE("a wrapper is followed to its fat binary") {
  const std::string fat = sample("sample_none.fatbin");
  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* data;
    const void* more = nullptr;
  } wrapper{.data = fat.data()};
  REQUIRE(fat_binary_of(&wrapper));
  CHECK(fat_binary_of(&wrapper)->size() == fat.size());
  wrapper.version = 2;
  CHECK(fat_binary_of(&wrapper).error().what.find("-rdc=true") != std::string::npos);
  wrapper.magic = 1;
  CHECK_FALSE(fat_binary_of(&wrapper));
}

TEST_CASE("a truncated or damaged fat binary is an error, never a crash") {
  std::mt19937 random(3);
  for (const char* name : {"sample_none.fatbin", "sample_size.fatbin", "sample_speed.fatbin", "sample_many.fatbin"}) {
    const std::string fat = sample(name);
    for (std::size_t length = 0; length < fat.size(); ++length) CHECK_FALSE(best_ptx(bytes_of(fat).first(length), 80));
    for (int round = 0; round < 2000; ++round) {
      std::string damaged = fat;
      for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips)
        damaged[random() % std::min<std::size_t>(damaged.size(), 160)] = static_cast<char>(random());
      const auto text = best_ptx(bytes_of(damaged), 80);
      if (!text) CHECK_FALSE(text.error().what.empty());
    }
  }
}

TEST_CASE("a claimed size that is absurd is refused before memory is taken") {
  std::string fat = sample("sample_size.fatbin");
  const std::uint64_t huge = std::uint64_t{1} << 50;
  std::memcpy(fat.data() + 16 + 56, &huge, sizeof huge);
  CHECK(best_ptx(bytes_of(fat), 80).error().what.find("is too long") != std::string::npos);
}
