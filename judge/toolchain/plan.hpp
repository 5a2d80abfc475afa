#pragma once
// Inside of judge/toolchain: the single commands of which one nvcc call consists.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "judge/base/error.hpp"
#include "judge/toolchain/compile.hpp"

namespace warpbook::toolchain {

using Words = std::vector<std::string>;

/// The translation unit's name in the scratch folder; the plan's other files are named after it.
inline constexpr const char* kUnit = "unit.cu";
inline constexpr const char* kUnitPtx = "unit.ptx";
inline constexpr const char* kUnitStub = "unit.cudafe1.stub.c";
inline constexpr const char* kUnitHostText = "unit.cudafe1.cpp";
inline constexpr const char* kUnitHostObject = "unit.o";
inline constexpr const char* kUnitImage = "unit.fatbin";  ///< fat binary
inline constexpr const char* kUnitImageWrapper = "unit.fatbin.c";
inline constexpr const char* kUnitModuleId = "unit.module_id";

/// What nvcc would run, with all file names relative to the scratch folder.
struct Plan {
  Words host_preprocess, host_front;      ///< unit.cu -> unit.cpp4.ii -> unit.cudafe1.cpp
  Words device_preprocess, device_front;  ///< unit.cu -> unit.cpp1.ii -> unit.ptx and unit.cudafe1.stub.c
  Words image;                            ///< unit.ptx -> unit.fatbin
  Words host_compile;                     ///< unit.cudafe1.cpp -> unit.o
  std::map<std::string, std::string> environment;
};

/// The flags that every compilation has. -fmad stays on: the virtual GPU fuses as the assembler does.
const Words& common_flags();

/// Reads what `nvcc --dryrun --keep` printed. The error says which command it missed: then nvcc itself must do the work.
Result<Plan> parse_plan(std::string_view dryrun);

/// Splits as a shell would, for what nvcc prints: double quotes, backslashes, `$NAME`.
Words shell_words(std::string_view line, const std::map<std::string, std::string>& variables);

}  // namespace warpbook::toolchain
