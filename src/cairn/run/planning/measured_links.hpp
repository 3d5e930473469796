// Latency and bandwidth of the links between the ranks of a run.
#pragma once

#include <string>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/plan/links.hpp"

namespace cairn {

struct MeasuredLinks {
  Links links = assumed_links;
  bool inside = false;   ///< measured: a node has two ranks
  bool between = false;  ///< measured: there are two nodes
  NodeLayout layout{};   ///< of the ranks that measured
};

/// Two lines for people: latency and bandwidth inside a node and between nodes. Local.
[[nodiscard]] std::string text_of(const MeasuredLinks& measured);

/// Measures sums of one number over the ranks of a node and over all, and exchanges of 4 MiB between all pairs of two
/// halves, in about a tenth of a second. Collective.
[[nodiscard]] MeasuredLinks measure_links(const Communicator& communicator);

}  // namespace cairn
