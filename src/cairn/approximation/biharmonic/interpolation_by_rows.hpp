// P with the largest entries of every row, made of whole columns that nobody keeps.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/biharmonic/column_tiles.hpp"
#include "cairn/approximation/biharmonic/solver_choice.hpp"
#include "cairn/base/execution.hpp"

namespace cairn {

/// P with the `kept` entries of largest magnitude in each row, e_k at the landmarks where `unit_rows`. Round by round,
/// a tile a rank (for a joint solver a tile of all ranks, who have their own rows of it): entries go to the rows as
/// they come. No row is finished before the last tile; what came so far is therefore kept in execution.ledger all at
/// once, where that is due.
/// @param loop  its name in the ledger: of the solver and its tiles @param summary  of all columns, but for
/// dropped_shares. Collective. Memory: 16 bytes an entry of own rows, and a tile.
[[nodiscard]] SparseRows<double> interpolation_by_rows(const Execution& execution, const ChosenSolver& solver,
                                                       const std::vector<Index>& landmarks, bool unit_rows,
                                                       Index vertices, Index kept, const std::string& loop,
                                                       ColumnSummary& summary);

}  // namespace cairn
