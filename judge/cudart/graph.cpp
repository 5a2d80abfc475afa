#include "judge/cudart/graph.hpp"

#include <algorithm>
#include <set>

namespace warpbook::cudart {
namespace {

using device::Answer;

template <class T>
struct Live {
  std::map<const void*, std::unique_ptr<T>> all;
  T* find(const void* handle) const {
    const auto at = all.find(handle);
    return at == all.end() ? nullptr : at->second.get();
  }
  T* keep(std::unique_ptr<T> one) {
    T* handle = one.get();
    all[handle] = std::move(one);
    return handle;
  }
};

// On the heap for good: programs destroy their graphs after this library's own globals would be gone.
Live<Graph>& graphs() {
  static auto* const live = new Live<Graph>;
  return *live;
}
Live<GraphExec>& execs() {
  static auto* const live = new Live<GraphExec>;
  return *live;
}
std::set<const void*>& live_nodes() {
  static auto* const live = new std::set<const void*>;
  return *live;
}

}  // namespace

struct Graph::Memory {
  std::vector<device::Address> addresses;
  ~Memory() {
    // Whoever destroys the last graph holds the runtime's lock.
    for (const device::Address address : addresses) {
      Runtime::get().device().free(address);
      Runtime::get().allocations.erase(address);
    }
  }
};

Graph::Graph() : memory_(std::make_shared<Memory>()) {}

Graph::~Graph() {
  for (const auto& node : nodes_) live_nodes().erase(node.get());
}

GraphNode* Graph::add(Work work, std::vector<GraphNode*> dependencies) {
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  live_nodes().insert(node.get());
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

void Graph::remove(GraphNode* node) {
  live_nodes().erase(node);
  for (const auto& other : nodes_) std::erase(other->dependencies, node);
  std::erase_if(nodes_, [&](const auto& one) { return one.get() == node; });
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->memory_ = memory_;
  for (const auto& node : nodes_) {
    GraphNode* made = copy->add(node->work, {});
    made->enabled = node->enabled;
    copy->copies_[node.get()] = made;
  }
  for (const auto& node : nodes_)
    for (const GraphNode* before : node->dependencies) copy->copies_[node.get()]->dependencies.push_back(copy->copies_[before]);
  return copy;
}

GraphNode* Graph::find(const GraphNode* original) const {
  const auto at = copies_.find(original);
  return at == copies_.end() ? nullptr : at->second;
}

std::vector<GraphNode*> Graph::order() const {
  std::vector<GraphNode*> done;
  std::set<const GraphNode*> ready;
  for (bool more = true; more;) {
    more = false;
    for (const auto& node : nodes_) {
      const auto is_ready = [&](const GraphNode* before) { return ready.contains(before); };
      if (ready.contains(node.get()) || !std::all_of(node->dependencies.begin(), node->dependencies.end(), is_ready)) continue;
      ready.insert(node.get());
      done.push_back(node.get());
      more = true;
    }
  }
  return done;
}

Answer Graph::run(Call& call) const {
  for (const GraphNode* node : order()) {
    if (!node->enabled) continue;
    if (const Answer answer = run_work(call, node->work); !answer.ok()) return answer;
  }
  return {};
}

void Graph::own(device::Address address) { memory_->addresses.push_back(address); }

Graph* find_graph(const void* handle) { return graphs().find(handle); }
GraphExec* find_exec(const void* handle) { return execs().find(handle); }
GraphNode* find_node(const void* handle) {
  return live_nodes().contains(handle) ? static_cast<GraphNode*>(const_cast<void*>(handle)) : nullptr;
}

Graph* keep(std::unique_ptr<Graph> graph) { return graphs().keep(std::move(graph)); }
bool destroy_graph(const void* handle) { return graphs().all.erase(handle) == 1; }
GraphExec* keep(std::unique_ptr<GraphExec> exec) { return execs().keep(std::move(exec)); }
bool destroy_exec(const void* handle) { return execs().all.erase(handle) == 1; }

}  // namespace warpbook::cudart
