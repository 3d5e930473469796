// The biharmonic interpolation operator P.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/execution.hpp"
#include "linalg/sparse_rows.hpp"
#include "operator/biharmonic_operator.hpp"

namespace cairn {

/// Keys of [approximation] that P has.
struct InterpolationParameters {
  std::string solver = "auto";       ///< direct, local, auto
  Index p_row = 50;                  ///< nonzeros a row on average (columns), or in each row (rows); 0: all, P is dense
  std::string sparsity = "columns";  ///< columns: in each column the (n - l) p_row / l largest in magnitude; rows: in
                                     ///< each row the p_row largest
  double tolerance = 1e-6;           ///< local: values at the edge of a patch, relative to the landmark's own 1
  bool normalize = false;            ///< rows of sparse P divided by their sums
};

/// What came out, beside P.
struct InterpolationReport {
  std::string solver;                ///< what auto chose
  std::string reason;                ///< why: one sentence
  double largest_row_sum_error = 0;  ///< max |sum of a row of P - 1| before anything was dropped
  double condition_estimate = 0;     ///< of M_uu, 1-norm (direct), or the largest over patches (local); 0: none made
  double edge_bound = 0;             ///< local: largest magnitude at the edge of a patch
  double dropped_norm = 0;           ///< sparsity columns: root mean square over columns of (dropped / all) in 2-norm
                                     ///< (local: of what was computed)
  Index factor_entries = 0;          ///< of the largest factor held
  Index patches = 0;                 ///< local
  std::vector<std::string> warnings;
};

/// P = [I; -M_uu⁻¹ M_ub] by rows of the vertices, n x l, thresholded while solving: never all of P dense unless p_row
/// is 0.     [Turek and Huth 2022, equation 5 and section 3.2]
///
/// Vertices of `landmarks` have the row e_k. Direct and local solves are corrected once with the residual formed
/// through V - A. Runs over tiles (blocks of landmarks) through execution.ledger.
/// @param landmarks  distinct vertices, the same on every rank; every component of the graph holds one
/// @throws Error(usage) for parameters out of range, Error(numeric) where M_uu is singular (names a component without
///   landmark and its size) or rows of P do not sum to 1. Collective.
[[nodiscard]] SparseRows<double> interpolation(const Execution& execution, const BiharmonicOperator& op,
                                               const std::vector<Index>& landmarks,
                                               const InterpolationParameters& parameters, InterpolationReport& report);

/// One way to compute columns of P. A solver is made collectively and then used by its rank alone.
class ColumnSolver {
 public:
  virtual ~ColumnSolver() = default;
  /// Tiles that the landmarks fall into: lists of positions in `landmarks`; the same on every rank.
  [[nodiscard]] virtual const std::vector<std::vector<Index>>& tiles() const = 0;
  /// Most entries that a column can have.
  [[nodiscard]] virtual Index column_size() const = 0;

  /// A computed column: vertices (ascending, without landmarks) and values, all that the solver knows, or the `kept`
  /// largest in magnitude (of equal ones those of the lowest vertex). Exact zeros are left out.
  struct Column {
    Index landmark = 0;  ///< position in `landmarks`
    std::vector<std::int32_t> vertices;
    std::vector<double> values;
    double dropped = 0.0;   ///< squared 2-norm of what was dropped
    double all = 0.0;       ///< squared 2-norm of the column
    double smallest = 0.0;  ///< magnitude of the least entry that was kept for its size; 0: all were kept
  };
  /// How well a tile was solved: see the fields of InterpolationReport. Numbers only, so that a ledger can hold it.
  struct Quality {
    double row_sum_error = 0.0;
    double condition = 0.0;
    double edge_bound = 0.0;
    double factor_entries = 0.0;
  };
  struct TileColumns {
    std::vector<Column> columns;  ///< one a landmark of the tile
    Quality quality;
    /// Where the solver itself does not know how far rows of P are from 1: the sums over the tile's columns before any
    /// entry was dropped, by vertex.
    std::vector<std::int32_t> sum_vertices;
    std::vector<double> sums;
  };
  /// The columns of a tile. @param kept  0: all. Thread-safe, local. @throws Error(numeric), Error(resource)
  [[nodiscard]] virtual TileColumns solve(Index tile, Index kept) const = 0;
};

}  // namespace cairn
