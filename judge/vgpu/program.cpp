// Building a program: which functions the entry can reach, where their variables lie, how deep their calls go.
#include "judge/vgpu/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "judge/vgpu/decode.hpp"
#include "judge/vgpu/demangle.hpp"
#include "judge/vgpu/memory.hpp"

namespace warpbook::vgpu {

namespace {

using ptx::Space;

constexpr std::uint32_t kLocalAlignment = 16;
constexpr std::uint64_t kDynamicAlignment = 16;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  multiple = std::max<std::uint64_t>(multiple, 1);
  return (value + multiple - 1) / multiple * multiple;
}

template <class Use>
void for_each_operand(const ptx::Operand& operand, const Use& use) {
  use(operand);
  for (const ptx::Operand& element : operand.elements) for_each_operand(element, use);
}

template <class Use>
void for_each_symbol(const ptx::Instruction& instruction, const Use& use) {
  const auto visit = [&](const ptx::Operand& operand) {
    if (!operand.symbol.empty()) use(operand.symbol);
  };
  for (const auto* list : {&instruction.src, &instruction.dst}) {
    for (const ptx::Operand& operand : *list) for_each_operand(operand, visit);
  }
}

bool is_indirect_call(const ptx::Instruction& instruction) {
  return instruction.op == ptx::Opcode::kCall && !instruction.src.empty() && instruction.src.front().kind == ptx::OperandKind::kRegister;
}

class Builder final : public Linker {
 public:
  Builder(ImagePointer image, const Symbols& symbols, Memory& memory) : symbols_(symbols), memory_(memory) {
    program_ = std::make_unique<Program>();
    program_->image = std::move(image);
  }

  Result<std::unique_ptr<Program>> build(int entry) {
    collect_functions(entry);
    lay_out_parameters();
    lay_out_shared();
    for (std::size_t i = 0; i < program_->functions.size(); ++i) lay_out_local(i);
    for (std::size_t i = 0; i < program_->functions.size(); ++i) {
      Status decoded = decode(program_->functions[i], image().flow(static_cast<std::size_t>(module_index_[i])), *this);
      if (!decoded) return decoded.error();
    }
    number_sites();
    program_->stack_bytes = deepest(0);
    program_->kernel = demangle(program_->entry().name);
    return std::move(program_);
  }

  std::optional<Place> find(const ptx::Function& in, std::string_view name) const override {
    const int function = index_of(&in);
    const auto& places = places_[static_cast<std::size_t>(function)];
    if (const auto own = places.find(name); own != places.end()) return own->second;
    if (const auto shared = shared_.find(name); shared != shared_.end()) return shared->second;
    if (const auto variable = symbols_.variables.find(name); variable != symbols_.variables.end()) {
      return Place{variable->second->space, false, variable->second->base, variable->second->bytes};
    }
    const int index = image().function_index(name);
    if (index >= 0) return Place{Space::kGlobal, false, code_address(index), 0};
    return std::nullopt;
  }

  int program_function(std::string_view name) const override {
    const int index = image().function_index(name);
    const auto known = std::find(module_index_.begin(), module_index_.end(), index);
    return known == module_index_.end() ? -1 : static_cast<int>(known - module_index_.begin());
  }

 private:
  const Image& image() const { return *program_->image; }
  Address code_address(int index) const { return symbols_.code_base + static_cast<Address>(index) * kCodeStride; }

  int index_of(const ptx::Function* source) const {
    for (std::size_t i = 0; i < program_->functions.size(); ++i) {
      if (program_->functions[i].source == source) return static_cast<int>(i);
    }
    return 0;
  }

  /// The entry, what it calls, and, once somebody calls by address, every function whose address is taken.
  void collect_functions(int entry) {
    add_function(entry);
    bool indirect = false;
    for (std::size_t i = 0; i < module_index_.size(); ++i) {
      const ptx::Function& function = image().module().functions[static_cast<std::size_t>(module_index_[i])];
      for (const ptx::Instruction& instruction : function.body) {
        for_each_symbol(instruction, [&](const std::string& name) {
          const int callee = image().function_index(name);
          if (callee >= 0) add_function(callee);
        });
        if (is_indirect_call(instruction) && !indirect) {
          indirect = true;
          add_address_taken();
        }
      }
    }
  }

  void add_address_taken() {
    for (const ptx::Function& function : image().module().functions) {
      for (const ptx::Instruction& instruction : function.body) {
        if (instruction.op == ptx::Opcode::kCall) continue;
        for_each_symbol(instruction, [&](const std::string& name) { add_callable(name); });
      }
    }
    for (const ptx::Variable& variable : image().module().variables) {
      for (const ptx::Variable::Relocation& relocation : variable.relocations) add_callable(relocation.symbol);
    }
  }

  void add_callable(std::string_view name) {
    const int index = image().function_index(name);
    if (index >= 0) add_function(index);
  }

  void add_function(int index) {
    const ptx::Function& source = image().module().functions[static_cast<std::size_t>(index)];
    if (source.external || std::find(module_index_.begin(), module_index_.end(), index) != module_index_.end()) return;
    module_index_.push_back(index);
    ProgramFunction function;
    function.source = &source;
    function.code_address = code_address(index);
    program_->by_code_address[function.code_address] = static_cast<int>(program_->functions.size());
    program_->functions.push_back(std::move(function));
    places_.emplace_back();
  }

  void number_sites() {
    for (ProgramFunction& function : program_->functions) {
      program_->first_site.push_back(program_->sites);
      for (Step& step : function.steps) {
        step.site = program_->sites++;
        program_->order_matters = program_->order_matters || step.kind == StepKind::kFence;
      }
      for (const MemoryPlan& plan : function.memory_plans) program_->order_matters = program_->order_matters || plan.is_strong();
    }
  }

  void lay_out_parameters() {
    std::uint32_t bytes = 0;
    for (const ptx::Parameter& parameter : program_->entry().parameters) bytes = std::max(bytes, parameter.offset + parameter.bytes);
    program_->parameter_bytes = bytes;
    program_->parameters = memory_.allocate(bytes, 0, "the kernel's parameters", Space::kParam);
    if (program_->parameters == nullptr) return;
    for (const ptx::Parameter& parameter : program_->entry().parameters) {
      places_[0][parameter.name] = Place{Space::kParam, false, program_->parameters->base + parameter.offset, parameter.bytes};
    }
  }

  /// Shared variables of all functions, one behind the other as the hardware packs them but with gaps between them; then the dynamic part,
  /// which all `.extern .shared` arrays name.
  void lay_out_shared() {
    std::uint64_t dynamic_alignment = kDynamicAlignment;
    std::vector<std::string> dynamic;
    const auto add = [&](const ptx::Variable& variable) {
      if (variable.space != Space::kShared || shared_.contains(variable.name)) return;
      if (variable.external || variable.bytes == 0) {
        dynamic.push_back(variable.name);
        dynamic_alignment = std::max<std::uint64_t>(dynamic_alignment, variable.alignment);
        return;
      }
      const std::uint64_t packed = round_up(program_->static_shared, variable.alignment);
      program_->static_shared = packed + variable.bytes;
      add_shared_region(packed, variable.bytes, variable.name);
    };
    for (const ProgramFunction& function : program_->functions) {
      for (const ptx::Variable& variable : function.source->variables) add(variable);
    }
    const std::set<std::string> used = used_symbols();
    for (const ptx::Variable& variable : image().module().variables) {
      if (used.contains(variable.name)) add(variable);
    }
    const Region& region = add_shared_region(round_up(program_->static_shared, dynamic_alignment), 0, "the dynamic shared memory");
    for (const std::string& name : dynamic) shared_[name] = Place{Space::kShared, false, region.base, 0};
  }

  const Region& add_shared_region(std::uint64_t packed, std::uint64_t bytes, const std::string& name) {
    Region region;
    region.base = packed + program_->shared_regions.size() * kSharedGap;
    region.bytes = bytes;
    region.name = name;
    region.space = Space::kShared;
    shared_[name] = Place{Space::kShared, false, region.base, bytes};
    program_->shared_regions.push_back(region);
    return program_->shared_regions.back();
  }

  std::set<std::string> used_symbols() const {
    std::set<std::string> used;
    for (const ProgramFunction& function : program_->functions) {
      for (const ptx::Instruction& instruction : function.source->body) {
        for_each_symbol(instruction, [&](const std::string& name) { used.insert(name); });
      }
    }
    return used;
  }

  /// Local variables, the parameters of calls, and (of functions) the formal parameters all lie in the frame's local memory.
  void lay_out_local(std::size_t index) {
    ProgramFunction& function = program_->functions[index];
    std::uint64_t next = 0;
    const auto add = [&](const std::string& name, std::uint64_t bytes, std::uint32_t alignment) {
      next = round_up(next, alignment);
      const Place place{Space::kLocal, true, next, bytes};
      places_[index][name] = place;
      next += bytes;
      return place;
    };
    for (const ptx::Variable& variable : function.source->variables) {
      if (variable.space == Space::kLocal || variable.space == Space::kParam) add(variable.name, variable.bytes, variable.alignment);
    }
    if (!function.source->entry) {
      const auto add_formal = [&](const ptx::Parameter& parameter, std::vector<Slot>& slots) {
        Slot slot;
        slot.bytes = parameter.bytes;
        if (parameter.reg >= 0) {
          slot.row = static_cast<std::uint32_t>(parameter.reg);  // a register until decoding knows its row
        } else {
          slot.displacement = static_cast<std::uint32_t>(add(parameter.name, parameter.bytes, parameter.alignment).value);
        }
        slots.push_back(slot);
      };
      for (const ptx::Parameter& parameter : function.source->parameters) add_formal(parameter, function.parameters);
      for (const ptx::Parameter& result : function.source->results) add_formal(result, function.results);
    }
    // A call costs stack even when nothing is kept there, so that endless recursion ends.
    if (!function.source->entry) next = std::max<std::uint64_t>(next, kLocalAlignment);
    function.local_bytes = static_cast<std::uint32_t>(round_up(next, kLocalAlignment));
  }

  /// Local bytes from `index` down the deepest path of calls. A function that is met again while its own depth is being worked out calls
  /// itself; one called by address might.
  std::uint32_t deepest(int index) {
    const std::uint32_t limit = kRecursionStackBytes + program_->functions.front().local_bytes;
    const auto [known, fresh] = depth_.try_emplace(index, limit);
    if (!fresh) return known->second;
    const ProgramFunction& function = program_->functions[static_cast<std::size_t>(index)];
    std::uint32_t below = function.grows_stack ? limit : 0;
    for (const CallPlan& call : function.call_plans) {
      if (call.callee >= 0) below = std::max(below, deepest(call.callee));
      else if (call.intrinsic == Intrinsic::kNone) below = limit;
    }
    return depth_[index] = std::min(function.local_bytes + below, limit);
  }

  const Symbols& symbols_;
  Memory& memory_;
  std::unique_ptr<Program> program_;
  std::vector<int> module_index_;                                  ///< of each program function: its index in the module
  std::vector<std::map<std::string, Place, std::less<>>> places_;  ///< per program function
  std::map<std::string, Place, std::less<>> shared_;
  std::map<int, std::uint32_t> depth_;
};

}  // namespace

const ProgramFunction& Program::function_of_site(std::uint32_t site) const {
  const auto behind = std::upper_bound(first_site.begin(), first_site.end(), site);
  return functions[static_cast<std::size_t>(behind - first_site.begin()) - 1];
}

const Step& Program::step_of_site(std::uint32_t site) const {
  const auto behind = std::upper_bound(first_site.begin(), first_site.end(), site);
  const auto index = static_cast<std::size_t>(behind - first_site.begin()) - 1;
  return functions[index].steps[site - first_site[index]];
}

Result<std::unique_ptr<Program>> make_program(ImagePointer image, int entry, const Symbols& symbols, Memory& memory) {
  return Builder(std::move(image), symbols, memory).build(entry);
}

}  // namespace warpbook::vgpu
