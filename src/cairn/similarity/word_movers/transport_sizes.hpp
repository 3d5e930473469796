// The simplex of TransportSolver, compiled for sizes. Each takes as long to compile as to be worth a source of its own.
#pragma once

#include "cairn/similarity/word_movers/transport_simplex.hpp"

namespace cairn::transport {

/// The least cost, by a simplex whose rows of up to 24 costs stay in registers; all nodes are bits of one vector.
/// Local.
[[nodiscard]] double solve_of_few_columns(Arrays& arrays);
[[nodiscard]] double solve_of_any_size(Arrays& arrays);

}  // namespace cairn::transport
