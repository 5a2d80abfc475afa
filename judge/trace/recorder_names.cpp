// The tables behind a recording's numbers: instructions, registers, watched variables, shared variables. Each gets its number when it is
// met.
#include <fmt/format.h>

#include <algorithm>

#include "judge/ptx/instruction.hpp"
#include "judge/trace/recorder.hpp"
#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/faults.hpp"

namespace warpbook::trace {

namespace {

constexpr std::size_t kMostNumbers = 60'000;   // sites and registers have 16 bits
constexpr std::uint8_t kSharedPattern = 0xFF;  // what shared memory holds before anybody writes

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); !what.empty() && at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// Mangled names of parameters and shared variables shortened to what a person calls them.
std::string readable(std::string text, const vgpu::LaunchContext& context, const vgpu::ProgramFunction& function) {
  replace_all(text, function.source->name + "_param_", "param_");
  for (const vgpu::Region& region : context.shared_regions) replace_all(text, region.name, vgpu::variable_name(region.name));
  return text;
}

}  // namespace

/// Known only once the launch runs: the engine lays out shared memory after it has asked for a tracer.
void Recorder::lay_out_shared() {
  for (const vgpu::Region& region : context_->shared_regions) {
    if (region.bytes == 0) continue;
    out_.shared.push_back({{"name", vgpu::variable_name(region.name)}, {"at", region.base}, {"bytes", region.bytes}});
  }
  shared_.assign(context_->shared_extent + sizeof(std::uint32_t), std::byte{kSharedPattern});
}

Recorder::FunctionRows& Recorder::rows_of(const vgpu::ProgramFunction& function, int function_index) {
  const auto [known, fresh] = functions_.try_emplace(function_index);
  FunctionRows& rows = known->second;
  if (!fresh) return rows;
  // The layout follows from the registers alone: made once more, it tells which row is whose.
  vgpu::ProgramFunction probe;
  probe.source = function.source;
  const vgpu::Rows layout(probe);
  const auto count = static_cast<std::int32_t>(function.source->registers.size());
  for (std::int32_t reg = 0; reg < count; ++reg) rows.row.push_back(layout.of_register(reg));
  rows.number.assign(static_cast<std::size_t>(count), -1);
  for (const ptx::Watch& watch : function.source->watches) watch_number(function, watch);  // in the order of the code
  return rows;
}

int Recorder::watch_number(const vgpu::ProgramFunction& function, const ptx::Watch& watch) {
  const std::vector<device::Frame> frames = vgpu::source_frames(program_->module(), watch.location);
  const std::string in =
      frames.empty() || frames.front().function.empty() ? vgpu::demangle(function.source->name) : frames.front().function;
  const auto [known, fresh] =
      watch_numbers_.try_emplace(fmt::format("{} {} {}", watch.type, watch.name, in), static_cast<int>(watch_numbers_.size()));
  if (fresh) out_.watches.push_back({{"name", watch.name}, {"type", watch.type}, {"function", in}});
  return known->second;
}

std::uint16_t Recorder::register_number(const vgpu::ProgramFunction& function, int function_index, std::int32_t reg) {
  std::int32_t& number = rows_of(function, function_index).number[static_cast<std::size_t>(reg)];
  if (number >= 0) return static_cast<std::uint16_t>(number);
  number = static_cast<std::int32_t>(out_.registers.size());
  nlohmann::json watches = nlohmann::json::array();
  for (const ptx::Watch& watch : function.source->watches) {
    if (watch.reg != reg) continue;
    const int name = watch_number(function, watch);
    if (std::find(watches.begin(), watches.end(), name) == watches.end()) watches.push_back(name);
  }
  const ptx::Register& source = function.source->registers[static_cast<std::size_t>(reg)];
  out_.registers.push_back({{"name", source.name}, {"type", std::string(ptx::name_of(source.type))}, {"watch", std::move(watches)}});
  if (out_.registers.size() > kMostNumbers) window_over_ = out_.truncated = true;
  return static_cast<std::uint16_t>(number);
}

std::uint16_t Recorder::site_number(const vgpu::Actor& actor) {
  const auto [known, fresh] = site_numbers_.try_emplace(actor.step.site, static_cast<std::uint16_t>(site_numbers_.size()));
  if (!fresh) return known->second;
  const auto number = static_cast<std::int32_t>(&actor.step - actor.frame.function->steps.data());
  nlohmann::json at = nlohmann::json::array();
  for (const device::Frame& frame : vgpu::source_frames(program_->module(), actor.frame, number))
    at.push_back({frame.file, frame.line, frame.function});
  const ptx::Instruction* instruction = actor.step.instruction;
  out_.sites.push_back({{"ptx", instruction == nullptr ? ""
                                                       : readable(ptx::text_of(*instruction, *actor.frame.function->source), *context_,
                                                                  *actor.frame.function)},
                        {"op", instruction == nullptr ? "" : instruction->spelling},
                        {"at", std::move(at)}});
  if (out_.sites.size() > kMostNumbers) window_over_ = out_.truncated = true;
  return known->second;
}

}  // namespace warpbook::trace
