// The simplex of TransportSolver, compiled for sizes. Each takes so long to compile that it has its own source.
#pragma once

#include "cairn/similarity/word_movers/transport_simplex.hpp"

namespace cairn::transport {

/// Least cost. For few columns, rows of up to 24 costs stay in registers, and all nodes are bits of one vector. Local.
[[nodiscard]] double solve_of_few_columns(Arrays& arrays);
[[nodiscard]] double solve_of_any_size(Arrays& arrays);

}  // namespace cairn::transport
