#include "judge/ptx/contract.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "judge/ptx/flow.hpp"
#include "judge/ptx/registers.hpp"
#include "judge/ptx/runs.hpp"

namespace warpbook::ptx {
namespace {

bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBF16x2; }

bool is_float_op(const Instruction& i) { return i.types.size() == 1 && is_float(i.types[0]); }

bool is_product(const Instruction& i) {
  return i.op == Opcode::kMul && is_float_op(i) && i.mod.rounding == Rounding::kNone && !i.mod.sat && i.guard < 0 &&
         i.dst[0].kind == OperandKind::kRegister;
}

bool is_sum(const Instruction& i) {
  return (i.op == Opcode::kAdd || i.op == Opcode::kSub) && is_float_op(i) && i.mod.rounding == Rounding::kNone;
}

// A copy or negation of a register that can be seen through.
bool is_alias(const Instruction& i) {
  if (i.guard >= 0 || i.dst.size() != 1 || i.dst[0].kind != OperandKind::kRegister || i.src[0].kind != OperandKind::kRegister) return false;
  return (i.op == Opcode::kMov && i.types[0] != Type::kPred) || (i.op == Opcode::kNeg && is_float_op(i));
}

// One sum that a product would disappear into.
struct Use {
  std::int32_t sum = 0;  // instruction
  int operand = 0;       // which of its two sources is the product
  bool negated = false;  // the product arrives with the opposite sign
};

struct Product {
  std::int32_t at = 0;  // instruction
  std::vector<Use> uses;
  std::vector<std::int32_t> aliases;  // copies and negations that disappear with it
  bool taken = true;
  bool local = true;  // all in one run
};

// How a register occurs in the function, in the order of runs.
struct Occurrences {
  struct Event {
    std::int32_t instruction = 0;
    bool writes = false;
  };
  std::vector<Event> events;
  std::int32_t definitions = 0;
  bool exposed = false;  // read in some run before that run writes it
};

class Fuser {
 public:
  explicit Fuser(Function& function) : function_(function), flow_(analyze(function)), runs_(straight_runs(function, flow_)) {}

  std::size_t run() {
    find_occurrences();
    find_products();
    settle_rivals();
    std::size_t fused = 0;
    for (const Product& product : products_) {
      if (product.taken) fused += fuse(product);
    }
    if (fused > 0) rebuild();
    return fused;
  }

 private:
  Instruction& at(std::int32_t i) { return function_.body[static_cast<std::size_t>(i)]; }
  Occurrences& of(std::int32_t reg) { return occurrences_[static_cast<std::size_t>(reg)]; }

  void find_occurrences() {
    occurrences_.resize(function_.registers.size());
    place_.assign(function_.body.size(), {-1, 0});
    std::vector<std::int32_t> written_in(function_.registers.size(), -1);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      auto run = static_cast<std::int32_t>(r);
      for (std::size_t p = 0; p < runs_[r].size(); ++p) {
        std::int32_t i = runs_[r][p];
        place_[static_cast<std::size_t>(i)] = {run, static_cast<std::int32_t>(p)};
        for_each_register(at(i), [&](std::int32_t reg, Access access) {
          Occurrences& o = of(reg);
          bool writes = access == Access::kWrite;
          bool reads = !writes || at(i).guard >= 0;  // a guarded write keeps the old value in some lanes
          if (reads && written_in[static_cast<std::size_t>(reg)] != run) o.exposed = true;
          o.definitions += writes;
          if (o.events.empty() || o.events.back().instruction != i || o.events.back().writes != writes) o.events.push_back({i, writes});
          if (writes && at(i).guard < 0) written_in[static_cast<std::size_t>(reg)] = run;
        });
      }
    }
    // Values that come from the caller or go back to it.
    for (const std::vector<Parameter>* list : {&function_.parameters, &function_.results}) {
      for (const Parameter& parameter : *list) {
        if (parameter.reg < 0) continue;
        of(parameter.reg).definitions += 2;
        of(parameter.reg).exposed = true;
      }
    }
  }

  const std::pair<std::int32_t, std::int32_t>& place(std::int32_t i) const { return place_[static_cast<std::size_t>(i)]; }

  // The first event of `reg` behind instruction `i`, within its order of runs.
  std::vector<Occurrences::Event>::const_iterator after(const Occurrences& o, std::int32_t i) const {
    return std::upper_bound(o.events.begin(), o.events.end(), place(i),
                            [&](const auto& where, const Occurrences::Event& event) { return where < place(event.instruction); });
  }

  // The instructions that read what `definition` writes to `reg`; false when they cannot all be known.
  bool readers(std::int32_t definition, std::int32_t reg, bool anywhere, std::vector<std::int32_t>& out) {
    const Occurrences& o = of(reg);
    if (o.definitions == 1) {
      for (const Occurrences::Event& event : o.events) {
        if (event.writes) continue;
        if (!comes_before(definition, event.instruction, anywhere)) return false;
        out.push_back(event.instruction);
      }
      return true;
    }
    // Written several times (hand-written assembly, or a value that joins): only what happens in this run is followed.
    for (auto event = after(o, definition); event != o.events.end() && place(event->instruction).first == place(definition).first;
         ++event) {
      if (event->writes) return at(event->instruction).guard < 0;
      out.push_back(event->instruction);
    }
    return !o.exposed || !live_behind(place(definition).first, o);
  }

  // True when a register may still be read after a run: some run with an exposed read can be reached without a write on the way.
  bool live_behind(std::int32_t run, const Occurrences& o) {
    std::vector<std::int32_t> open = next_runs(run);
    std::set<std::int32_t> seen(open.begin(), open.end());
    while (!open.empty()) {
      std::int32_t r = open.back();
      open.pop_back();
      // Only hostile text makes this search long; the careful answer keeps the product.
      if (--patience_ < 0) return true;
      auto event = std::partition_point(o.events.begin(), o.events.end(),
                                        [&](const Occurrences::Event& e) { return place(e.instruction).first < r; });
      if (event != o.events.end() && place(event->instruction).first == r) {
        if (!event->writes || at(event->instruction).guard >= 0) return true;
        continue;
      }
      for (std::int32_t next : next_runs(r)) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }

  std::vector<std::int32_t> next_runs(std::int32_t run) const {
    const Run& order = runs_[static_cast<std::size_t>(run)];
    const Block& block = flow_.blocks[static_cast<std::size_t>(flow_.block_of[static_cast<std::size_t>(order.back())])];
    if (order.back() + 1 < block.end) return {place(order.back() + 1).first};
    std::vector<std::int32_t> runs;
    for (std::int32_t b : block.next) runs.push_back(place(flow_.blocks[static_cast<std::size_t>(b)].first).first);
    return runs;
  }

  // True when every execution of `use` sees the latest one of `definition`.
  bool comes_before(std::int32_t definition, std::int32_t use, bool anywhere) {
    if (place(definition).first == place(use).first) return place(definition) < place(use);
    if (!anywhere) return false;
    std::int32_t from = flow_.block_of[static_cast<std::size_t>(definition)], to = flow_.block_of[static_cast<std::size_t>(use)];
    return from == to ? use > definition : flow_.dominates(from, to);
  }

  // Follows a value to its sums; false when one use is something else.
  bool follow(Product& product, std::int32_t definition, bool negated, bool anywhere, int depth) {
    constexpr int kLongestChain = 16;
    if (depth > kLongestChain) return false;
    const Instruction& mul = at(product.at);
    std::int32_t reg = at(definition).dst[0].reg;
    std::vector<std::int32_t> uses;
    if (!readers(definition, reg, anywhere, uses) || uses.empty()) return false;
    for (std::int32_t use : uses) {
      const Instruction& i = at(use);
      product.local &= place(use).first == place(product.at).first;
      if (is_sum(i)) {
        bool first = i.src[0].kind == OperandKind::kRegister && i.src[0].reg == reg;
        bool second = i.src[1].kind == OperandKind::kRegister && i.src[1].reg == reg;
        if (first == second || i.types[0] != mul.types[0] || i.mod.ftz != mul.mod.ftz || i.guard == reg) return false;
        product.uses.push_back({use, first ? 0 : 1, negated});
        continue;
      }
      if (!is_alias(i)) return false;
      bool is_negation = i.op == Opcode::kNeg;
      if (is_negation && (i.types[0] != mul.types[0] || i.mod.ftz != mul.mod.ftz)) return false;
      product.aliases.push_back(use);
      if (!follow(product, use, negated != is_negation, anywhere, depth + 1)) return false;
    }
    return true;
  }

  void find_products() {
    for (const Run& run : runs_) {
      for (std::int32_t i : run) {
        if (!is_product(at(i))) continue;
        Product product;
        product.at = i;
        bool anywhere = is_pair(at(i).types[0]);
        if (follow(product, i, false, anywhere, 0)) products_.push_back(std::move(product));
      }
    }
  }

  // Two products in one sum: one is taken, the other has lost a use to an fma and stays.
  void settle_rivals() {
    std::unordered_map<std::int32_t, std::pair<std::int32_t, int>> first_claim;  // sum -> product, operand
    struct Rivalry {
      std::int32_t sum, first, second;  // products by the operand they stand in
    };
    std::vector<Rivalry> rivalries;
    for (std::size_t p = 0; p < products_.size(); ++p) {
      for (const Use& use : products_[p].uses) {
        auto index = static_cast<std::int32_t>(p);
        auto [claim, fresh] = first_claim.try_emplace(use.sum, index, use.operand);
        if (fresh) continue;
        bool in_order = claim->second.second < use.operand;
        rivalries.push_back({use.sum, in_order ? claim->second.first : index, in_order ? index : claim->second.first});
      }
    }
    std::sort(rivalries.begin(), rivalries.end(), [&](const Rivalry& a, const Rivalry& b) { return place(a.sum) < place(b.sum); });
    for (const Rivalry& rivalry : rivalries) {
      Product& first = products_[static_cast<std::size_t>(rivalry.first)];
      Product& second = products_[static_cast<std::size_t>(rivalry.second)];
      if (!first.taken || !second.taken) continue;
      (second.uses.size() < first.uses.size() ? first : second).taken = false;
    }
  }

  bool overwritten_before_last_use(const Product& product, const Operand& factor) {
    if (factor.kind != OperandKind::kRegister || of(factor.reg).definitions <= 1) return false;
    if (!product.local) return true;
    auto last = place(product.at);
    for (const Use& use : product.uses) last = std::max(last, place(use.sum));
    const Occurrences& o = of(factor.reg);
    for (auto event = after(o, product.at); event != o.events.end() && place(event->instruction) < last; ++event) {
      if (event->writes) return true;
    }
    return false;
  }

  // A register that holds the factor until the last sum, written where the product was.
  Operand kept_factor(const Product& product, const Operand& factor) {
    if (!overwritten_before_last_use(product, factor)) return factor;
    const Instruction& mul = at(product.at);
    Operand copy = factor;
    copy.reg = static_cast<std::int32_t>(function_.registers.size());
    function_.registers.push_back(
        {function_.registers[static_cast<std::size_t>(factor.reg)].name, function_.registers[static_cast<std::size_t>(factor.reg)].type});
    occurrences_.emplace_back();
    Instruction move;
    move.op = Opcode::kMov;
    int bits = bits_of(mul.types[0]);
    Type type = bits == 64 ? Type::kB64 : bits == 32 ? Type::kB32 : Type::kB16;
    move.types = {type};
    move.spelling = bits == 64 ? "mov.b64" : bits == 32 ? "mov.b32" : "mov.b16";
    move.dst = {copy};
    move.src = {factor};
    move.dst[0].type = move.src[0].type = type;
    move.location = mul.location;
    move.ptx_line = mul.ptx_line;
    instead_[product.at].push_back(std::move(move));
    return copy;
  }

  static void negate(Operand& operand) {
    if (operand.kind != OperandKind::kImmediate) {
      operand.negated = !operand.negated;
      return;
    }
    int bits = bits_of(operand.type);
    operand.bits ^= 1ull << (bits - 1);
    if (is_pair(operand.type)) operand.bits ^= 1ull << (bits / 2 - 1);
  }

  std::size_t fuse(const Product& product) {
    Operand a = kept_factor(product, at(product.at).src[0]);
    Operand b = at(product.at).src[1].reg == at(product.at).src[0].reg && a.kind == OperandKind::kRegister &&
                        at(product.at).src[1].kind == OperandKind::kRegister
                    ? a
                    : kept_factor(product, at(product.at).src[1]);
    for (const Use& use : product.uses) {
      Instruction& sum = at(use.sum);
      bool subtracts = sum.op == Opcode::kSub;
      Operand factor = a, addend = sum.src[1 - static_cast<std::size_t>(use.operand)];
      bool minus_product = use.negated != (subtracts && use.operand == 1);
      if (minus_product) negate(factor);
      if (subtracts && use.operand == 0) negate(addend);
      sum.op = Opcode::kFma;
      sum.mod.rounding = Rounding::kRn;
      sum.spelling = "fma.rn";
      if (sum.mod.ftz) sum.spelling += ".ftz";
      if (sum.mod.sat) sum.spelling += ".sat";
      sum.spelling += '.';
      sum.spelling += name_of(sum.types[0]);
      sum.src = {std::move(factor), b, std::move(addend)};
    }
    instead_.try_emplace(product.at);
    for (std::int32_t alias : product.aliases) instead_.try_emplace(alias);
    return product.uses.size();
  }

  void rebuild() {
    std::vector<Instruction> body;
    std::vector<std::int32_t> moved(function_.body.size() + 1);
    for (std::size_t i = 0; i < function_.body.size(); ++i) {
      moved[i] = static_cast<std::int32_t>(body.size());
      auto replacement = instead_.find(static_cast<std::int32_t>(i));
      if (replacement == instead_.end()) body.push_back(std::move(function_.body[i]));
      else
        for (Instruction& instruction : replacement->second) body.push_back(std::move(instruction));
    }
    moved.back() = static_cast<std::int32_t>(body.size());
    for (Instruction& instruction : body) {
      for (Operand& operand : instruction.src) {
        if (operand.kind == OperandKind::kLabel && operand.target >= 0) operand.target = moved[static_cast<std::size_t>(operand.target)];
      }
    }
    for (auto& [name, target] : function_.labels) target = moved[static_cast<std::size_t>(target)];
    function_.body = std::move(body);
  }

  Function& function_;
  Flow flow_;
  std::vector<Run> runs_;
  std::vector<Occurrences> occurrences_;                      // by register
  std::vector<std::pair<std::int32_t, std::int32_t>> place_;  // by instruction: run and position in it
  std::vector<Product> products_;
  std::int64_t patience_ = 10'000'000;                                  // steps that live_behind() may take
  std::unordered_map<std::int32_t, std::vector<Instruction>> instead_;  // what stands in the place of an instruction
};

}  // namespace

std::size_t fuse_products(Function& function) { return function.body.empty() ? 0 : Fuser(function).run(); }

std::size_t fuse_products(Module& module) {
  std::size_t fused = 0;
  for (Function& function : module.functions) fused += fuse_products(function);
  return fused;
}

}  // namespace warpbook::ptx
