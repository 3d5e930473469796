// The biharmonic interpolation operator P.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Parameters of P.
struct InterpolationParameters {
  std::string solver = "auto";       ///< direct, local, iterative, auto
  Index p_row = 50;                  ///< nonzeros a row on average (columns), or in each row (rows); 0: all, P is dense
  std::string sparsity = "columns";  ///< columns: in each column the (n - l) p_row / l largest in magnitude; rows: in
                                     ///< each row the p_row largest
  double tolerance = 1e-9;           ///< local: values at the edge of a patch, relative to the landmark's own 1;
                                     ///< iterative: residual, relative to the right-hand side
  std::string preconditioner = "hypre";  ///< iterative: whose multigrid cycles: gamg (PETSc's own) or hypre (BoomerAMG)
  bool normalize = false;                ///< rows of sparse P divided by their sums
  double soft_landmarks = 0;             ///< penalty of soft landmarks; 0: landmarks are hard
  Index memory = 0;                      ///< bytes of a rank that a factor may count on; 0: what the node has
  KeyNames keys{};                       ///< of the tolerance

  [[nodiscard]] bool dense(Index landmarks) const { return p_row == 0 || p_row >= landmarks; }
  /// Whether a column is wanted whole: no entry of it can be dropped before all columns are known.
  [[nodiscard]] bool whole_columns(Index landmarks) const { return dense(landmarks) || sparsity == "rows"; }
};

/// What came out, beside P.
struct InterpolationReport {
  std::string solver;  ///< what auto chose
  std::string reason;  ///< why: one sentence
  /// max |sum of a row of P - 1| before anything was dropped; not known for sparse P of which a ledger had columns
  std::optional<double> largest_row_sum_error;
  double condition_estimate =
      0;                 ///< of M_uu, 1-norm (direct, iterative), or the largest over patches (local); 0: none made
  Index iterations = 0;  ///< iterative: most that a column took
  double preconditioned_condition = 0;  ///< iterative: largest over smallest Ritz value of the preconditioned operator
  double edge_bound = 0;                ///< local: largest magnitude at the edge of a patch
  double dropped_norm = 0;   ///< sparsity columns: root mean square over columns of (dropped / all) in 2-norm
                             ///< (local: of what was computed)
  Index factor_entries = 0;  ///< of the largest factor held
  Index patches = 0;         ///< local
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< of no concern
};

/// P = [I; -M_uu⁻¹ M_ub] by rows of the vertices, n x l, thresholded while solving: never all of P dense unless p_row
/// is 0.     [Turek and Huth 2022, equation 5 and section 3.2]
///
/// Vertices of `landmarks` have the row e_k. Direct and local solves are corrected once with the residual formed
/// through V - A; iterative ones go on until that residual is small. Runs over tiles (blocks of landmarks) through
/// execution.ledger.
///
/// Soft landmarks: P minimizes the sum over its columns p_k of |(V-A) p_k|² in the norm of D⁻¹ and
/// penalty |S p_k - e_k|², where S takes the values at the landmarks: (M + penalty Sᵀ S) P = penalty Sᵀ. Its rows sum
/// to 1 as well: M 1 = 0, so that ones solve the equations of the sum of all columns. Each column then keeps the
/// n p_row / l largest.
/// @param landmarks  distinct vertices, the same on every rank; every component of the graph holds one
/// @throws Error(usage) for parameters out of range, Error(numeric) if M_uu is singular (names a component without
///   landmark and its size) or rows of P do not sum to 1, Error(resource) if a named solver does not fit.
///   Collective.
[[nodiscard]] SparseRows<double> interpolation(const Execution& execution, const BiharmonicOperator& op,
                                               const std::vector<Index>& landmarks,
                                               const InterpolationParameters& parameters, InterpolationReport& report);

/// What ways to compute columns of P have in common.
class ColumnTiling {
 public:
  virtual ~ColumnTiling() = default;
  /// Tiles that the landmarks fall into, of about equal cost, in an order in which it is best to solve for them: lists
  /// of positions in `landmarks`; the same on every rank.
  [[nodiscard]] virtual const std::vector<std::vector<Index>>& tiles() const = 0;
  /// Most entries that a column can have.
  [[nodiscard]] virtual Index column_size() const = 0;
  /// Parts of the graph that were factored alone; 0 if that is not how columns are solved for.
  [[nodiscard]] virtual Index patches() const { return 0; }

  /// A computed column: vertices (ascending; hard landmarks are none of them) and values, all that the solver knows, or
  /// the `kept` largest in magnitude (of equal ones those of the lowest vertex). Exact zeros are left out.
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
    double condition = 0.0;
    double edge_bound = 0.0;
    double factor_entries = 0.0;
    /// The largest of both.
    void include(const Quality& other);
  };
  struct TileColumns {
    std::vector<Column> columns;  ///< one a landmark of the tile
    Quality quality;
    /// The sums of rows over the tile's columns before any entry was dropped, by vertex.
    std::vector<std::int32_t> sum_vertices;
    std::vector<double> sums;
  };
};

/// A way in which each rank computes columns by itself. A solver is made collectively and then used by its rank alone.
class ColumnSolver : public ColumnTiling {
 public:
  /// The columns of a tile. @param kept  0: all. Thread-safe, local. @throws Error(numeric), Error(resource)
  [[nodiscard]] virtual TileColumns solve(Index tile, Index kept) const = 0;
  /// Frees what is kept from tile to tile: after the last one. Local.
  virtual void release() {}
};

/// A way in which all ranks compute columns together.
class JointColumnSolver : public ColumnTiling {
 public:
  /// The columns of a tile on the rank `owner`, none on the others; quality everywhere; sums at each rank's own
  /// vertices, always the same ones. @param kept  more than 0. @throws Error(numeric), Error(resource). Collective.
  [[nodiscard]] virtual TileColumns solve(Index tile, Index kept, int owner) = 0;
  /// The columns of a tile, all their entries, each rank those at its own vertices (RowPartition's); quality and sums
  /// as of solve(). @throws Error(numeric), Error(resource). Collective.
  [[nodiscard]] virtual TileColumns solve_own_rows(Index tile) = 0;
  /// Sets what the report says of the solver alone. Local.
  virtual void describe(InterpolationReport& report) const = 0;
};

}  // namespace cairn
