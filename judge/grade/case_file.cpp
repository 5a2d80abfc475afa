#include "judge/grade/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "judge/grade/glue.hpp"

namespace warpbook::grade {
namespace {

constexpr std::string_view kMagic = "WBCASE1\n";
enum ParameterKind : std::uint64_t { kValue, kPointer, kNull };

class ByteWriter {
 public:
  void number(std::uint64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);  // this format, like the GPUs it is for, has the lowest byte first
    out.append(bytes, sizeof value);
  }
  void bytes(std::span<const std::byte> data) {
    number(data.size());
    out.append(reinterpret_cast<const char*>(data.data()), data.size());
  }

  std::string out{kMagic};
};

void write_memory(ByteWriter& file, const TensorData& t) {
  const std::vector<std::byte> image = inputs::compose(t.placement, t.dense);
  file.number(static_cast<std::uint64_t>(t.placement.total_bytes));
  file.number(t.placement.extents.size());
  std::size_t at = 0;
  for (const inputs::Extent& e : t.placement.extents) {
    file.number(static_cast<std::uint64_t>(e.offset));
    file.bytes(std::span(image).subspan(at, static_cast<std::size_t>(e.bytes)));
    at += static_cast<std::size_t>(e.bytes);
  }
}

bool has_memory(const CaseData& data, std::size_t i) { return !data.tensors[i].absent && data.tensors[i].memory == static_cast<int>(i); }

/// Of tensor `i`, among those that have one.
std::uint64_t number_of_memory(const CaseData& data, int i) {
  std::uint64_t number = 0;
  for (std::size_t before = 0; before < static_cast<std::size_t>(i); ++before) number += has_memory(data, before) ? 1 : 0;
  return number;
}

}  // namespace

std::string case_file(const CaseData& data) {
  ByteWriter file;
  const auto tensors = static_cast<int>(data.tensors.size());
  file.number(number_of_memory(data, tensors));
  for (std::size_t i = 0; i < data.tensors.size(); ++i)
    if (has_memory(data, i)) write_memory(file, data.tensors[i]);
  file.number(data.parameters.size());
  for (std::size_t p = 0; p < data.parameters.size(); ++p) {
    if (!data.scalar_bytes[p].empty()) {
      file.number(kValue);
      file.bytes(data.scalar_bytes[p]);
      continue;
    }
    const auto t =
        std::find_if(data.tensors.begin(), data.tensors.end(), [&](const TensorData& d) { return d.spec->name == data.parameters[p]; });
    if (t == data.tensors.end() || t->absent) {
      file.number(kNull);
      continue;
    }
    file.number(kPointer);
    file.number(number_of_memory(data, t->memory));
    file.number(static_cast<std::uint64_t>(t->placement.base));
  }
  return std::move(file.out);
}

Result<std::string> case_program(const task::Task& task, const std::string& source, const std::string& about) {
  const Result<std::string> glue = launch_glue(task);
  if (!glue) return glue.error();
  return fmt::format(
      "// {}\n"
      "#include \"{}\"\n\n"
      "#include \"common/kernel/case_program.cuh\"\n\n"
      "{}\n"
      "int main(int count, char** paths) {{ return warpbook::kernel::run_cases(count, paths, warpbook_launch); }}\n",
      about, source, *glue);
}

}  // namespace warpbook::grade
