// Seconds of messages between ranks, from the latency and the bandwidth of their links.
#pragma once

#include "cairn/base/mpi/traffic.hpp"

namespace cairn {

/// One kind of link.
struct Link {
  double latency = 0;  ///< seconds of a message of a few bytes
  double bytes = 0;    ///< per second, while all ranks send
};

struct Links {
  Link inside;   ///< between ranks of a node; bytes per second and rank
  Link between;  ///< between nodes; bytes per second and node
};

/// Taken where nothing can be measured, on one rank or one node: shared memory, and a network of 100 Gbit/s.
inline constexpr Links assumed_links = {{1e-6, 5e9}, {2e-6, 10e9}};

/// Ranks on nodes, as many on each; the last one may have fewer.
struct NodeLayout {
  int ranks = 1;
  int nodes = 1;
  [[nodiscard]] int on_a_node() const { return (ranks + nodes - 1) / nodes; }
};

/// ceil(log2(places)): how often one place is doubled until all are reached. Local.
[[nodiscard]] double doublings(int places);

/// Seconds of this traffic [Hockney 1994: alpha + beta words for each message]. A collective call takes as many
/// messages one after another as doublings lead from one rank to all of a node, and from one node to all; its bytes
/// come to a node once, and to each of its ranks. Single messages go to any rank alike, and all ranks of a node share
/// its link. Local.
[[nodiscard]] double traffic_seconds(const Traffic& traffic, const NodeLayout& places, const Links& links);

}  // namespace cairn
