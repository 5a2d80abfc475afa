#include "judge/ptx/flow.hpp"

#include <algorithm>

namespace warpbook::ptx {
namespace {

using Graph = std::vector<std::vector<std::int32_t>>;

bool is_branch(const Instruction& instruction) { return instruction.op == Opcode::kBra || instruction.op == Opcode::kBrx; }
bool ends_thread(const Instruction& instruction) { return instruction.op == Opcode::kExit || instruction.op == Opcode::kTrap; }
bool ends_block(const Instruction& instruction) {
  return is_branch(instruction) || ends_thread(instruction) || instruction.op == Opcode::kRet;
}

std::vector<std::int32_t> targets_of(const Function& function, const Instruction& branch) {
  if (branch.op == Opcode::kBra) return {branch.src.back().target};
  std::vector<std::int32_t> targets;
  auto list = function.branch_targets.find(branch.src.back().symbol);
  if (list == function.branch_targets.end()) return targets;
  for (const std::string& name : list->second) targets.push_back(function.labels.at(name));
  return targets;
}

void find_blocks(const Function& function, Flow& flow) {
  std::size_t size = function.body.size();
  std::vector<bool> leader(size + 1);
  leader[0] = leader[size] = true;
  for (std::size_t i = 0; i < size; ++i) {
    const Instruction& instruction = function.body[i];
    if (!ends_block(instruction)) continue;
    leader[i + 1] = true;
    if (!is_branch(instruction)) continue;
    for (std::int32_t target : targets_of(function, instruction)) leader[static_cast<std::size_t>(target)] = true;
  }
  flow.block_of.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (leader[i]) flow.blocks.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)});
    flow.blocks.back().end = static_cast<std::int32_t>(i) + 1;
    flow.block_of[i] = static_cast<std::int32_t>(flow.blocks.size()) - 1;
  }
}

void find_edges(const Function& function, Flow& flow) {
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    Block& block = flow.blocks[b];
    const Instruction& last = function.body[static_cast<std::size_t>(block.end) - 1];
    if (is_branch(last)) {
      for (std::int32_t target : targets_of(function, last)) block.next.push_back(flow.block_of[static_cast<std::size_t>(target)]);
    }
    bool falls_through = (!ends_block(last) || last.guard >= 0) && b + 1 < flow.blocks.size();
    if (falls_through) block.next.push_back(static_cast<std::int32_t>(b) + 1);
    std::sort(block.next.begin(), block.next.end());
    block.next.erase(std::unique(block.next.begin(), block.next.end()), block.next.end());
    for (std::int32_t n : block.next) flow.blocks[static_cast<std::size_t>(n)].previous.push_back(static_cast<std::int32_t>(b));
  }
}

// Depth first without recursion (a kernel can have 100,000 blocks in a row). `visit_edge(from, to, onto_path)`.
template <class VisitEdge>
void depth_first(const Graph& graph, std::int32_t root, std::vector<std::int8_t>& state, std::vector<std::int32_t>& postorder,
                 VisitEdge visit_edge) {
  constexpr std::int8_t kNew = 0, kOnPath = 1, kDone = 2;
  if (state[static_cast<std::size_t>(root)] != kNew) return;
  std::vector<std::pair<std::int32_t, std::size_t>> path{{root, 0}};
  state[static_cast<std::size_t>(root)] = kOnPath;
  while (!path.empty()) {
    auto& [node, edge] = path.back();
    const auto& next = graph[static_cast<std::size_t>(node)];
    if (edge == next.size()) {
      state[static_cast<std::size_t>(node)] = kDone;
      postorder.push_back(node);
      path.pop_back();
      continue;
    }
    std::int32_t to = next[edge++];
    std::int8_t& seen = state[static_cast<std::size_t>(to)];
    visit_edge(node, to, seen == kOnPath);
    if (seen != kNew) continue;
    seen = kOnPath;
    path.emplace_back(to, 0);
  }
}

// Immediate dominators from `root`; -1 for the root and for what it does not reach.
std::vector<std::int32_t> dominators(const Graph& graph, std::int32_t root) {
  std::size_t size = graph.size();
  std::vector<std::int8_t> state(size);
  std::vector<std::int32_t> postorder, number(size, -1), result(size, -1);
  Graph previous(size);
  depth_first(graph, root, state, postorder,
              [&](std::int32_t from, std::int32_t to, bool) { previous[static_cast<std::size_t>(to)].push_back(from); });
  for (std::size_t i = 0; i < postorder.size(); ++i) number[static_cast<std::size_t>(postorder[i])] = static_cast<std::int32_t>(i);
  auto rank = [&](std::int32_t node) { return number[static_cast<std::size_t>(node)]; };
  auto above = [&](std::int32_t node) -> std::int32_t& { return result[static_cast<std::size_t>(node)]; };
  above(root) = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = postorder.size() - 1; i-- > 0;) {
      std::int32_t node = postorder[i], best = -1;
      for (std::int32_t from : previous[static_cast<std::size_t>(node)]) {
        if (above(from) < 0) continue;
        if (best < 0) {
          best = from;
          continue;
        }
        std::int32_t other = from;
        while (best != other) {
          while (rank(best) < rank(other)) best = above(best);
          while (rank(other) < rank(best)) other = above(other);
        }
      }
      if (above(node) == best) continue;
      above(node) = best;
      changed = true;
    }
  }
  above(root) = -1;
  return result;
}

// Marks what reaches one of `from` against the edges.
void mark_backwards(const Flow& flow, std::vector<std::int32_t> from, std::vector<bool>& marked) {
  for (std::int32_t b : from) marked[static_cast<std::size_t>(b)] = true;
  while (!from.empty()) {
    std::int32_t b = from.back();
    from.pop_back();
    for (std::int32_t p : flow.blocks[static_cast<std::size_t>(b)].previous) {
      if (marked[static_cast<std::size_t>(p)]) continue;
      marked[static_cast<std::size_t>(p)] = true;
      from.push_back(p);
    }
  }
}

// The graph with its edges turned round and a node for the exit (the last), without the ways into exit and trap.
Graph reversed_to_exit(const Function& function, const Flow& flow, const std::vector<std::int32_t>& postorder) {
  std::size_t size = flow.blocks.size();
  auto last_of = [&](std::int32_t b) -> const Instruction& {
    return function.body[static_cast<std::size_t>(flow.blocks[static_cast<std::size_t>(b)].end) - 1];
  };
  std::vector<std::int32_t> returns, dead_ends;
  for (std::size_t b = 0; b < size; ++b) {
    if (!flow.blocks[b].next.empty()) continue;
    auto index = static_cast<std::int32_t>(b);
    (ends_thread(last_of(index)) ? dead_ends : returns).push_back(index);
  }
  std::vector<bool> returning(size), ending(size);
  mark_backwards(flow, returns, returning);
  Graph graph(size + 1);
  auto to_exit = [&](std::int32_t b) { graph[size].push_back(b); };
  for (std::int32_t b : returns) to_exit(b);
  for (std::int32_t b : dead_ends) to_exit(b);
  ending = returning;
  mark_backwards(flow, dead_ends, ending);
  // Loops without a way out: the block that a depth-first walk leaves first is the furthest; it gets an edge to the exit.
  for (std::int32_t b : postorder) {
    if (ending[static_cast<std::size_t>(b)]) continue;
    to_exit(b);
    mark_backwards(flow, {b}, ending);
  }
  for (std::size_t b = 0; b < size; ++b) {
    for (std::int32_t n : flow.blocks[b].next) {
      if (returning[b] && !returning[static_cast<std::size_t>(n)]) continue;
      graph[static_cast<std::size_t>(n)].push_back(static_cast<std::int32_t>(b));
    }
  }
  return graph;
}

}  // namespace

bool Flow::dominates(std::int32_t a, std::int32_t b) const {
  while (b >= 0 && b != a) b = blocks[static_cast<std::size_t>(b)].dominator;
  return b == a;
}

Flow analyze(const Function& function) {
  Flow flow;
  if (function.body.empty()) return flow;
  find_blocks(function, flow);
  find_edges(function, flow);
  std::size_t size = flow.blocks.size();
  flow.reconvergence.assign(function.body.size(), -1);
  flow.back_edge.assign(function.body.size(), false);

  Graph forward(size);
  for (std::size_t b = 0; b < size; ++b) forward[b] = flow.blocks[b].next;
  std::vector<std::int8_t> state(size);
  std::vector<std::int32_t> postorder;
  auto note_back_edge = [&](std::int32_t from, std::int32_t, bool onto_path) {
    if (onto_path) flow.back_edge[static_cast<std::size_t>(flow.blocks[static_cast<std::size_t>(from)].end) - 1] = true;
  };
  depth_first(forward, 0, state, postorder, note_back_edge);
  for (std::int32_t b : postorder) flow.blocks[static_cast<std::size_t>(b)].reachable = true;
  // Unreachable code is analysed too: nothing runs it, but every branch has an answer.
  for (std::size_t b = 0; b < size; ++b) depth_first(forward, static_cast<std::int32_t>(b), state, postorder, note_back_edge);

  std::vector<std::int32_t> above = dominators(forward, 0);
  std::vector<std::int32_t> below = dominators(reversed_to_exit(function, flow, postorder), static_cast<std::int32_t>(size));
  for (std::size_t b = 0; b < size; ++b) {
    Block& block = flow.blocks[b];
    block.dominator = above[b];
    bool exit = below[b] < 0 || below[b] == static_cast<std::int32_t>(size);
    block.post_dominator = exit ? -1 : below[b];
    if (!exit) flow.reconvergence[static_cast<std::size_t>(block.end) - 1] = flow.blocks[static_cast<std::size_t>(below[b])].first;
  }
  return flow;
}

}  // namespace warpbook::ptx
