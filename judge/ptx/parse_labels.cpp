// Labels, and lists of them. A label belongs to its pair of braces: nvcc repeats inline assembly, labels and all, within one function.
// A branch may come before its label, so branches wait until a closing brace: there the labels of the scope are known, and what is not
// among them is handed to the scope around it.
#include <fmt/format.h>

#include "judge/ptx/parse_state.hpp"

namespace warpbook::ptx {

std::string unique_name(std::string_view name, int use) { return use == 1 ? std::string(name) : fmt::format("{}#{}", name, use); }

bool Parser::label(FunctionState& state, std::string_view name) {
  if (tokens_.now().is(".callprototype") || tokens_.now().is(".branchtargets") || tokens_.now().is(".calltargets")) {
    return labelled_directive(state, name);
  }
  std::string unique = unique_name(name, ++state.label_uses[std::string(name)]);
  auto target = static_cast<std::int32_t>(state.function.body.size());
  if (!state.label_scopes.back().labels.try_emplace(name, LabelScope::Label{target, unique}).second) {
    return tokens_.fail(fmt::format("the label `{}` is defined twice in this scope", name));
  }
  state.function.labels.emplace(std::move(unique), target);
  return true;
}

bool Parser::labelled_directive(FunctionState& state, std::string_view name) {
  if (tokens_.accept(".callprototype")) return call_prototype();
  bool branches = tokens_.accept(".branchtargets");
  if (!branches) tokens_.accept(".calltargets");
  std::vector<std::string_view> names;
  do {
    auto target = tokens_.expect_name(branches ? "a label" : "the name of a function");
    if (!target) return false;
    names.push_back(*target);
  } while (tokens_.accept(','));
  std::string unique = unique_name(name, ++state.label_uses[std::string(name)]);
  if (branches) {
    state.label_scopes.back().lists[name] = unique;
    state.label_scopes.back().open_lists.emplace_back(std::move(unique), std::move(names));
  } else {
    state.function.call_targets.emplace(std::move(unique), std::vector<std::string>(names.begin(), names.end()));
  }
  return tokens_.expect(';', "behind the list");
}

bool Parser::close_labels(FunctionState& state) {
  LabelScope scope = std::move(state.label_scopes.back());
  state.label_scopes.pop_back();
  LabelScope* outer = state.label_scopes.empty() ? nullptr : &state.label_scopes.back();

  for (auto& [unique, names] : scope.open_lists) {
    std::vector<std::string>& targets = state.function.branch_targets[unique];
    // A list belongs to the braces it stands in or to labels further out; nvcc writes it beside its brx.
    for (std::string_view name : names) {
      auto found = scope.labels.find(name);
      if (found == scope.labels.end()) {
        if (outer == nullptr) return tokens_.fail(fmt::format("no label `{}` in this function", name));
        break;
      }
      targets.push_back(found->second.unique);
    }
    if (targets.size() == names.size()) continue;
    targets.clear();
    outer->open_lists.emplace_back(unique, names);
  }
  for (const Fixup& use : scope.list_uses) {
    auto found = scope.lists.find(use.name);
    Instruction& branch = state.function.body[use.instruction];
    if (found != scope.lists.end()) branch.src.back().symbol = found->second;
    else if (outer != nullptr) outer->list_uses.push_back(use);
    else return tokens_.fail(branch.ptx_line, fmt::format("no list of branch targets `{}` in this function", use.name));
  }
  for (const Fixup& use : scope.branches) {
    auto found = scope.labels.find(use.name);
    Instruction& branch = state.function.body[use.instruction];
    if (found != scope.labels.end()) branch.src.back().target = found->second.target, branch.src.back().symbol = found->second.unique;
    else if (outer != nullptr) outer->branches.push_back(use);
    else return tokens_.fail(branch.ptx_line, fmt::format("no label `{}` in this function", use.name));
  }
  return !tokens_.failed();
}

}  // namespace warpbook::ptx
