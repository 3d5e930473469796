#include "cairn/similarity/shortest_paths/shared_hierarchy.hpp"

#include <numeric>
#include <utility>

namespace cairn {

namespace {

template <class T>
NodeArray<T> replicate(const Communicator& communicator, std::vector<T>& values) {
  auto shared = replicate_on_nodes<T>(communicator, values);
  values = {};
  return shared;
}

template <class D>
SharedArcs<D> share(const Communicator& communicator, AncestorArcs& arcs, const NodeArray<std::int32_t>& depth) {
  SharedArcs<D> shared;
  shared.starts = replicate(communicator, arcs.starts);
  shared.heads = replicate(communicator, arcs.heads);
  const NodeArray<double> lengths = replicate(communicator, arcs.lengths);
  shared.arcs = NodeArray<SweepArc<D>>(communicator, lengths.size());
  if (shared.arcs.node().is_root()) {
    for (Index a = 0; a < lengths.size(); ++a) {
      SweepArc<D>& arc = shared.arcs.writable()[a];
      arc.slot = static_cast<decltype(arc.slot)>(depth[shared.heads[a]]);
      arc.length = static_cast<D>(lengths[a]);
    }
  }
  shared.arcs.publish();
  return shared;
}

// The arcs with this bit; each rank of a node copies those of its share of the places.
template <class D>
SharedArcs<D> share(const Communicator& communicator, const CustomizedArcs& arcs, const NodeArray<double>& lengths,
                    std::uint8_t bit) {
  const CompletionView& completion = arcs.completion;
  const Index n = std::ssize(completion.parent);
  const Communicator& node = lengths.node();
  const Range own = RowPartition(n, node.size()).range(node.rank());
  SharedArcs<D> shared;
  shared.starts = NodeArray<Index>(communicator, n + 1);
  for (Index p = own.begin; p < own.end; ++p) {
    Index count = 0;
    for (Index a = completion.starts[p]; a < completion.starts[p + 1]; ++a) count += (arcs.needed[a] & bit) != 0;
    shared.starts.writable()[p + 1] = count;
  }
  shared.starts.publish();
  if (node.is_root()) {
    shared.starts.writable()[0] = 0;
    std::partial_sum(shared.starts.values().begin(), shared.starts.values().end(), shared.starts.writable().begin());
  }
  shared.starts.publish();
  shared.heads = NodeArray<std::int32_t>(communicator, shared.starts[n]);
  shared.arcs = NodeArray<SweepArc<D>>(communicator, shared.starts[n]);
  for (Index p = own.begin; p < own.end; ++p) {
    Index at = shared.starts[p];
    for (Index a = completion.starts[p]; a < completion.starts[p + 1]; ++a) {
      if ((arcs.needed[a] & bit) == 0) continue;
      shared.heads.writable()[at] = completion.heads[a];
      SweepArc<D>& arc = shared.arcs.writable()[at++];
      arc.slot = static_cast<decltype(arc.slot)>(completion.depth[completion.heads[a]]);
      arc.length = static_cast<D>(lengths[a]);
    }
  }
  shared.heads.publish();
  shared.arcs.publish();
  return shared;
}

template <class D>
SharedHierarchy<D> described(SharedHierarchy<D> shared, const HierarchyFacts& facts) {
  shared.height = facts.height;
  shared.directed = facts.directed;
  shared.whole = facts.whole;
  shared.integral = facts.whole && facts.longest < 0x1p32;
  return shared;
}

}  // namespace

template <class D>
SharedHierarchy<D> share_hierarchy(const Communicator& communicator, ContractionHierarchy& hierarchy,
                                   const HierarchyFacts& facts) {
  SharedHierarchy<D> shared;
  shared.vertex_at = replicate(communicator, hierarchy.tree.vertex_at);
  shared.place_of = replicate(communicator, hierarchy.tree.place_of);
  shared.parent = replicate(communicator, hierarchy.tree.parent);
  shared.depth = replicate(communicator, hierarchy.tree.depth);
  shared.up = share<D>(communicator, hierarchy.up, shared.depth);
  shared.down = facts.directed ? share<D>(communicator, hierarchy.down, shared.depth) : shared.up.share();
  return described(std::move(shared), facts);
}

template <class D>
SharedHierarchy<D> share_hierarchy(const Communicator& communicator, CustomizedArcs& arcs,
                                   const HierarchyFacts& facts) {
  SharedHierarchy<D> shared;
  shared.up = share<D>(communicator, arcs, arcs.up, needed_up);
  shared.down = facts.directed ? share<D>(communicator, arcs, arcs.down, needed_down) : shared.up.share();
  shared.vertex_at = std::move(arcs.vertex_at);
  shared.place_of = std::move(arcs.place_of);
  shared.parent = std::move(arcs.parent);
  shared.depth = std::move(arcs.depth);
  return described(std::move(shared), facts);
}

#define CAIRN_INSTANTIATE(D)                                                                                      \
  template SharedHierarchy<D> share_hierarchy(const Communicator&, ContractionHierarchy&, const HierarchyFacts&); \
  template SharedHierarchy<D> share_hierarchy(const Communicator&, CustomizedArcs&, const HierarchyFacts&);
CAIRN_INSTANTIATE(std::uint16_t)
CAIRN_INSTANTIATE(std::uint32_t)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
