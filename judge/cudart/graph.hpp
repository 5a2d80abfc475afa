#pragma once
// Graphs of work: what a captured stream becomes, or what a program puts together node by node.
//
// A graph is run in one order: as its nodes were made, unless an edge that was added later asks for another one. That is one of the
// orders a GPU may take. An executable graph is a copy; the original can change or go away.
#include <map>
#include <memory>
#include <vector>

#include "judge/cudart/work.hpp"

namespace warpbook::cudart {

struct GraphNode {
  Graph* graph = nullptr;
  Work work;
  std::vector<GraphNode*> dependencies{};  ///< what must be done before
  bool enabled = true;                     ///< of executable graphs
  std::vector<void*> arguments{};          ///< of kernels: what cudaGraphKernelNodeGetParams points at
};

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  GraphNode* add(Work work, std::vector<GraphNode*> dependencies);
  void remove(GraphNode* node);
  /// A copy; `find` then gives the copy of a node of the original.
  std::unique_ptr<Graph> clone() const;
  GraphNode* find(const GraphNode* original) const;

  const std::vector<std::unique_ptr<GraphNode>>& nodes() const { return nodes_; }
  /// Dependencies first; nodes that wait for themselves are left out (`order().size() < nodes().size()`).
  std::vector<GraphNode*> order() const;
  device::Answer run(Call& call) const;
  /// Gives memory that nodes of it allocated back with the last copy of the graph.
  void own(device::Address address);

 private:
  struct Memory;
  std::vector<std::unique_ptr<GraphNode>> nodes_;
  std::map<const GraphNode*, GraphNode*> copies_;
  std::shared_ptr<Memory> memory_;  ///< one for a graph and all that were cloned from it
};

/// A graph that can be launched.
struct GraphExec {
  std::unique_ptr<Graph> graph;
  unsigned long long flags = 0;
};

/// The object of a live handle, else null.
Graph* find_graph(const void* handle);
GraphNode* find_node(const void* handle);
GraphExec* find_exec(const void* handle);

/// Takes ownership and gives the handle.
Graph* keep(std::unique_ptr<Graph> graph);
/// False when there is no such graph.
bool destroy_graph(const void* handle);
GraphExec* keep(std::unique_ptr<GraphExec> exec);
bool destroy_exec(const void* handle);

}  // namespace warpbook::cudart
