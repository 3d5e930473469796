// The biharmonic interpolation operator P.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/interpolation_report.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/operator/biharmonic_operator.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Parameters of P.
struct InterpolationParameters {
  std::string solver = "auto";       ///< direct, local, petsc, auto
  Index p_row = 50;                  ///< nonzeros per row, on average (columns) or in each (rows); 0: all, P is dense
  std::string sparsity = "columns";  ///< columns: keep the (n - l) p_row / l largest magnitudes of each column; rows:
                                     ///< the p_row largest of each row
  double tolerance = 1e-9;           ///< local: bound of values at the edge of a patch, relative to 1 at the landmark;
                                     ///< petsc: a solve leaves a tenth of it, relative to the right-hand side
  std::string preconditioner = "hypre";  ///< petsc: multigrid by gamg (PETSc's own) or hypre (BoomerAMG)
  std::string petsc_options{};           ///< petsc: options and values, separated by blanks
  bool normalize = false;                ///< divide rows of sparse P by their sums
  double soft_landmarks = 0;             ///< penalty of soft landmarks; 0: landmarks are hard
  Index memory = 0;                      ///< bytes per rank that a factor may use; 0: the memory of the node
  KeyNames keys{};                       ///< name of the tolerance in messages

  [[nodiscard]] bool dense(Index landmarks) const { return p_row == 0 || p_row >= landmarks; }
  /// True if columns are needed whole: no entry can be dropped before all columns are known.
  [[nodiscard]] bool whole_columns(Index landmarks) const { return dense(landmarks) || sparsity == "rows"; }
};

/// P = [I; -M_uu⁻¹ M_ub] by rows of the vertices, n x l, thresholded during the solves: P is never dense as a whole
/// unless p_row is 0.     [Turek and Huth 2022, equation 5 and section 3.2]
///
/// Vertices of `landmarks` have the row e_k. Local solves are corrected once with the residual formed through
/// V - A; the others take the harmonic form (HarmonicForm). Runs over tiles (blocks of landmarks) through
/// execution.ledger.
///
/// Soft landmarks: P minimizes the sum over its columns p_k of |(V-A) p_k|² in the norm of D⁻¹ and penalty |S p_k -
/// e_k|², where S takes the values at the landmarks: (M + penalty Sᵀ S) P = penalty Sᵀ. Its rows sum to 1 as well:
/// since M 1 = 0, the vector of ones solves the equations of the sum of all columns. Each column then keeps the n p_row
/// / l largest entries.
/// @param landmarks  distinct vertices, the same on every rank; every component of the graph contains one
/// @throws Error(usage) for parameters out of range, Error(numeric) if M_uu is singular (names a component without
///   landmark and its size) or rows of P do not sum to 1, Error(resource) if a named solver does not fit. Collective.
[[nodiscard]] SparseRows<double> interpolation(const Execution& execution, const BiharmonicOperator& op,
                                               const std::vector<Index>& landmarks,
                                               const InterpolationParameters& parameters, InterpolationReport& report);

/// Common interface of the solvers for columns of P.
class ColumnTiling {
 public:
  virtual ~ColumnTiling() = default;
  /// Tiles of landmarks, of about equal cost, in the best order to solve them: lists of positions in `landmarks`; the
  /// same on every rank.
  [[nodiscard]] virtual const std::vector<std::vector<Index>>& tiles() const = 0;
  /// Largest number of entries that a column can have.
  [[nodiscard]] virtual Index column_size() const = 0;
  /// Number of parts of the graph that were factored separately; 0 if columns are computed in another way.
  [[nodiscard]] virtual Index patches() const { return 0; }
  /// Frees the data kept between tiles; called after the last tile. Collective.
  virtual void release() {}

  /// A computed column: vertices (ascending, without hard landmarks) and values: all computed ones, or the `kept`
  /// largest in magnitude (among equal ones those of the lowest vertices). Exact zeros are omitted.
  struct Column {
    Index landmark = 0;  ///< position in `landmarks`
    std::vector<std::int32_t> vertices;
    std::vector<double> values;
    double dropped = 0.0;   ///< squared 2-norm of the dropped part
    double all = 0.0;       ///< squared 2-norm of the column
    double smallest = 0.0;  ///< smallest magnitude that was kept for its size; 0: all were kept
  };
  /// Accuracy of a tile's solution: see the fields of InterpolationReport. Numbers only, so that a ledger can hold it.
  struct Quality {
    double condition = 0.0;
    double edge_bound = 0.0;
    double factor_entries = 0.0;
    /// Takes the maximum of both, field by field.
    void include(const Quality& other);
  };
  struct TileColumns {
    std::vector<Column> columns;  ///< one per landmark of the tile
    Quality quality;
    /// The sums of rows over the tile's columns before entries were dropped, by vertex.
    std::vector<std::int32_t> sum_vertices;
    std::vector<double> sums;
  };
};

/// A solver with which each rank computes columns by itself. It is constructed collectively and then used locally.
class ColumnSolver : public ColumnTiling {
 public:
  /// The columns of a tile. @param kept  0: all. Thread-safe, local. @throws Error(numeric), Error(resource)
  [[nodiscard]] virtual TileColumns solve(Index tile, Index kept) const = 0;
};

/// A computed column that is stored elsewhere; vertices ascending.
struct ColumnView {
  Index landmark = 0;
  std::span<const std::int32_t> vertices;
  std::span<const double> values;
};

/// A solver with which all ranks compute columns together.
class JointColumnSolver : public ColumnTiling {
 public:
  /// Finds what all columns share, or takes it from the ledger, in a loop of its own. Called before the first tile.
  /// @throws Error(numeric), Error(resource). Collective.
  virtual void prepare() = 0;
  /// The columns of a tile on the rank `owner`, none on the others; quality on every rank; sums at each rank's own
  /// vertices, the same ones for every tile. @param kept  more than 0. @throws Error(numeric), Error(resource).
  /// Collective.
  [[nodiscard]] virtual TileColumns solve(Index tile, Index kept, int owner) = 0;
  /// Calls take() for the columns of a tile, with the entries at this rank's own vertices (RowPartition's), zeros
  /// included; `take` must not communicate. @return no columns; quality and sums as in solve(). @throws Error(numeric),
  /// Error(resource). Collective.
  [[nodiscard]] virtual TileColumns solve_own_rows(Index tile, const std::function<void(const ColumnView&)>& take) = 0;
  /// Makes as many solves as some columns take in all, for a plan. @return how many columns. Collective.
  virtual Index rehearse() = 0;
  /// Sets the fields of the report that only this solver has. Local.
  virtual void describe(InterpolationReport& report) const = 0;
};

}  // namespace cairn
