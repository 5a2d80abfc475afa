// nvcc is a driver: it runs two preprocessors, two front ends, the optimiser, fatbinary and the host compiler one after the other,
// although device half and host half need each other only at the end. Running its commands ourselves buys
//
//   - both halves side by side,
//   - a name of our own for the module, so that kernels of a changed exercise keep their names and an old host half fits new device code,
//   - the fat binary in an object of its own, so that a cached host half is linked to new device code without the host compiler,
//   - memory in large pages for cudafe++, which clears 180 MB of it (0.8 s of CPU time become 0.2 s).
//
// The commands are not ours to invent: they differ between toolkits. They come from `nvcc --dryrun`, the documented listing of them,
// and only file names, include folders and the module's name are changed. Where the listing does not have the six commands we know,
// parse_plan() refuses and plain.cpp lets nvcc do all by itself, slower and without the host cache but right.
//
// Measured for a lesson-sized file on two cores with nvcc 13.0: `nvcc -c` 1.8 s, this 1.0 s, with a cached host half 0.55 s
// (`nvcc -ptx` alone takes 0.68 s: its driver and its page faults cost more than our link).
#include "judge/toolchain/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "judge/base/files.hpp"

namespace warpbook::toolchain {
namespace {

using Variables = std::map<std::string, std::string>;

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool has(const Words& words, std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); }

bool has_start(const Words& words, std::string_view start) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.starts_with(start); });
}

/// The line `NAME=value`, as nvcc sets variables for the commands that follow.
bool is_assignment(std::string_view line, std::string& name, std::string& value) {
  const std::size_t equals = line.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  if (!std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(equals), is_name_character)) return false;
  name = line.substr(0, equals);
  value = line.substr(equals + 1);
  return true;
}

/// Files are named relative to the scratch folder, in which the commands run: "./unit.ptx" and "file=./unit.ptx" lose their "./".
void make_relative(Words& words) {
  for (std::string& word : words) {
    if (word.starts_with("./")) word.erase(0, 2);
    if (const std::size_t at = word.find("=./"); at != std::string::npos) word.erase(at + 1, 2);
  }
}

void drop(Words& words, std::string_view start) {
  std::erase_if(words, [&](const std::string& word) { return word.starts_with(start); });
}

/// The front ends get our module id from a file, and no path of this machine.
void own_module(Words& front) {
  drop(front, "--gen_module_id_file");
  for (std::size_t i = 0; i + 1 < front.size(); ++i)
    if (front[i] == "--orig_src_path_name") front[i + 1] = kUnit;
}

/// Which command of the plan `words` is; nullptr for one that we do not need (rm, an assembler run).
Words* place_of(Plan& plan, const Words& words) {
  const std::string program = base_name(words[0]);
  if (program == "cudafe++") return &plan.host_front;
  if (program == "cicc") return &plan.device_front;
  if (program == "fatbinary") return &plan.image;
  const bool on_unit = has(words, kUnit);
  if (has(words, "-E") && on_unit) return has_start(words, "-D__CUDA_ARCH__=") ? &plan.device_preprocess : &plan.host_preprocess;
  if (has(words, "-c") && has(words, kUnitHostText)) return &plan.host_compile;
  return nullptr;
}

}  // namespace

const Words& common_flags() {
  static const Words flags = {"-std=c++17",    "-O3",        "-lineinfo", "-gencode", "arch=compute_80,code=compute_80",
                              "--no-compress", "-Xcompiler", "-fPIC"};
  return flags;
}

Words shell_words(std::string_view line, const Variables& variables) {
  Words words;
  std::string word;
  bool in_word = false, quoted = false;
  const auto finish = [&] {
    if (in_word) words.push_back(word);
    word.clear();
    in_word = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      quoted = !quoted;
      in_word = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      in_word = true;
    } else if (c == '$' && i + 1 < line.size() && is_name_character(line[i + 1])) {
      std::size_t end = i + 1;
      while (end < line.size() && is_name_character(line[end])) ++end;
      const auto found = variables.find(std::string(line.substr(i + 1, end - i - 1)));
      if (found != variables.end()) word += found->second;
      in_word = true;
      i = end - 1;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      finish();
    } else {
      word += c;
      in_word = true;
    }
  }
  finish();
  return words;
}

Result<Plan> parse_plan(std::string_view dryrun) {
  Plan plan;
  Variables variables;
  for (const std::string& full : split_lines(dryrun)) {
    constexpr std::string_view kMark = "#$ ";
    if (!full.starts_with(kMark)) continue;
    const std::string line = full.substr(kMark.size());
    std::string name, value;
    if (is_assignment(line, name, value)) {
      variables[name] = value;
      continue;
    }
    Words words = shell_words(line, variables);
    if (words.empty()) continue;
    make_relative(words);
    Words* place = place_of(plan, words);
    if (place == nullptr) continue;
    if (!place->empty()) return Error{fmt::format("nvcc lists {} twice", base_name(words[0]))};
    *place = std::move(words);
  }
  const std::pair<const char*, const Words*> needed[] = {{"host preprocessor", &plan.host_preprocess},
                                                         {"cudafe++", &plan.host_front},
                                                         {"device preprocessor", &plan.device_preprocess},
                                                         {"cicc", &plan.device_front},
                                                         {"fatbinary", &plan.image},
                                                         {"host compiler", &plan.host_compile}};
  for (const auto& [what, words] : needed)
    if (words->empty()) return Error{fmt::format("nvcc lists no {}", what)};
  // The names on which the two halves and the link agree.
  const std::pair<const Words*, std::string> names[] = {
      {&plan.device_front, kUnitPtx},          {&plan.device_front, kUnitStub},
      {&plan.device_front, kUnitImageWrapper}, {&plan.device_front, kUnitModuleId},
      {&plan.host_front, kUnitStub},           {&plan.host_front, kUnitHostText},
      {&plan.host_front, kUnitModuleId},       {&plan.image, std::string("--create=") + kUnitImage},
      {&plan.host_compile, kUnitHostObject}};
  for (const auto& [words, name] : names)
    if (!has(*words, name)) return Error{fmt::format("{} does not name {}", base_name((*words)[0]), name)};
  own_module(plan.host_front);
  own_module(plan.device_front);
  drop(plan.image, "--embedded-fatbin=");
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"})
    if (const auto found = variables.find(name); found != variables.end()) plan.environment[name] = found->second;
  return plan;
}

}  // namespace warpbook::toolchain
