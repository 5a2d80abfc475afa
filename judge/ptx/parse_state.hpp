#pragma once
// What the files parse_*.cpp share: the token stream, the module that grows, and the state of the function being read. Internal to
// this room. Functions return false (or nothing) after a problem; the first one is kept in the token stream.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judge/ptx/constant.hpp"
#include "judge/ptx/forms.hpp"
#include "judge/ptx/locations.hpp"
#include "judge/ptx/module.hpp"
#include "judge/ptx/scopes.hpp"
#include "judge/ptx/tokens.hpp"

namespace warpbook::ptx {

/// `.extern`, `.visible` ... before a variable or function.
struct Linkage {
  bool external = false, visible = false;
};

/// An operand as written, before the instruction says what type it has.
struct RawOperand {
  Operand operand;
  Constant constant;                 ///< when operand.kind is kImmediate
  std::vector<RawOperand> elements;  ///< when it is kVector
  bool behind_bar = false;           ///< the p of `d|p`
  bool refused = false;              ///< a special register this version lacks; its name is operand.symbol
};

/// A label name whose instruction is not known yet: the target of a branch, or the name of a target list.
struct Fixup {
  std::size_t instruction = 0;
  std::string_view name;
};

/// Labels of one pair of braces. nvcc repeats inline assembly, labels and all, so names are local to their braces.
struct LabelScope {
  struct Label {
    std::int32_t target = 0;
    std::string unique;  ///< the name in Function::labels
  };
  std::unordered_map<std::string_view, Label> labels;
  std::unordered_map<std::string_view, std::string> lists;  ///< .branchtargets: name to unique name
  std::vector<Fixup> branches, list_uses;
  std::vector<std::pair<std::string, std::vector<std::string_view>>> open_lists;  ///< unique name of a list, its labels
};

/// Name number `use` of a name that sibling scopes use again: "L", "L#2" ...
std::string unique_name(std::string_view name, int use);

/// A function while it is being read.
struct FunctionState {
  explicit FunctionState(Function& f) : function(f), scopes(f) {}
  Function& function;
  Scopes scopes;
  std::vector<LabelScope> label_scopes;
  std::unordered_map<std::string, int> label_uses, variable_uses;
  std::int32_t location = -1;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}
  Result<Module> run();

 private:
  // parse_module.cpp
  bool module_item();
  bool version();
  bool target();
  bool alias();
  void finish_aliases();
  bool pragma();

  // parse_debug.cpp
  bool file();
  bool section();
  bool debug_strings();
  bool loc();

  // parse_variable.cpp
  bool variable_list(Space space, const Linkage& linkage, FunctionState* state);
  bool attributes(bool& managed);
  bool dimensions(std::uint64_t& count, bool& open);
  bool initialiser(Variable& variable);
  bool initial_element(Variable& variable, std::uint64_t& at, int depth, std::vector<std::uint64_t>& covered);
  bool masked_symbol(Variable& variable, std::uint64_t at, std::uint64_t mask, std::vector<std::uint64_t>& covered);
  std::optional<Type> expect_type(std::string_view where);

  // parse_function.cpp
  bool function(bool entry, const Linkage& linkage);
  bool parameter_list(std::vector<Parameter>& parameters, FunctionState& state);
  bool parameter(Parameter& parameter, FunctionState* state);
  bool tuning_directive(Function& function, bool& recognised);
  bool body(FunctionState& state);
  bool statement(FunctionState& state);
  bool local_directive(FunctionState& state);
  bool registers(FunctionState& state);
  void watches(FunctionState& state);
  bool call_prototype();
  void close_body(FunctionState& state);
  void declare_variable(FunctionState& state, std::string_view name, Variable variable);

  // parse_labels.cpp
  bool label(FunctionState& state, std::string_view name);
  bool labelled_directive(FunctionState& state, std::string_view name);
  bool close_labels(FunctionState& state);

  // parse_instruction.cpp
  bool instruction(FunctionState& state);
  bool guard(FunctionState& state, Instruction& instruction);
  bool opcode(FunctionState& state, Instruction& instruction, const Shape*& shape);
  bool operands(FunctionState& state, Instruction& instruction, const Shape& shape);
  bool label_operands(FunctionState& state, Instruction& instruction, const Shape& shape);
  bool call(FunctionState& state, Instruction& instruction);
  bool call_list(FunctionState& state, std::vector<Operand>& list);
  bool refuse(Instruction& instruction, std::string text);
  bool newer_than_table() const;
  bool fail_at(const Instruction& instruction, std::string what);

  // parse_operand.cpp
  bool raw_operand(FunctionState& state, RawOperand& out);
  bool named_operand(FunctionState& state, RawOperand& out);
  bool address_operand(FunctionState& state, RawOperand& out);
  bool vector_operand(FunctionState& state, RawOperand& out);
  bool name_meaning(FunctionState& state, std::string_view name, RawOperand& out);
  bool offset_of(std::int64_t& offset);
  Operand register_operand(std::int32_t index) const;

  // typing.cpp
  bool assign_types(FunctionState& state, Instruction& instruction, const Shape& shape, std::vector<RawOperand>& raw);
  bool give_type(FunctionState& state, Instruction& instruction, const OperandSlot& slot, RawOperand& raw, Operand& out, bool destination);
  bool give_plain(FunctionState& state, Instruction& instruction, Type type, bool wider, RawOperand& raw, Operand& out, bool destination);
  bool give_vector(FunctionState& state, Instruction& instruction, Type element, std::size_t count, bool wider, RawOperand& raw,
                   Operand& out, bool destination);

  struct Understood {
    Opcode op = Opcode::kUnknown;
    Modifiers mod;
    std::vector<Type> types;
    const Shape* shape = nullptr;  ///< null: operands are not read
  };

  Tokens tokens_;
  Module module_;
  Locations locations_;
  std::unordered_map<std::string, std::size_t> function_index_;
  std::unordered_map<std::string, std::size_t> variable_index_;
  std::vector<std::pair<std::string, std::string>> aliases_;
  std::unordered_map<std::string, Understood> understood_;  ///< by spelling: few are distinct
  FunctionState* current_ = nullptr;                        ///< the function being read, null at module level
};

}  // namespace warpbook::ptx
