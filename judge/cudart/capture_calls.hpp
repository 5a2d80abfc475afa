#pragma once
// The parts of graph and capture calls whose signatures differ between versions 12 and 13; library/versioned.cpp gives them their names.
#include <cstddef>

namespace warpbook::cudart {

int capture_info(const char* name, void* stream, int* status, unsigned long long* id, void** graph, void* const** dependencies,
                 std::size_t* count);
int update_dependencies(const char* name, void* stream, void* const* dependencies, std::size_t count, unsigned flags);

/// Edges to be added to or removed from a graph.
int change_dependencies(const char* name, void* graph, void* const* from, void* const* to, std::size_t count, bool add);
int graph_edges(const char* name, void* graph, void** from, void** to, std::size_t* count);
/// What a node waits for, or what waits for it.
int node_neighbours(const char* name, void* node, void** neighbours, std::size_t* count, bool dependents);

}  // namespace warpbook::cudart
