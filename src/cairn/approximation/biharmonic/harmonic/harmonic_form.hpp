// The biharmonic interpolation operator in harmonic form.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// P from solves with L_uu alone, where L = V - A, u are the vertices that are no landmarks, and b the landmarks:
///
///     H = -L_uu⁻¹ L_ub                 harmonic functions: 1 at one landmark, 0 at the others
///     G = D_b + Hᵀ D_u H               their mass matrix, positive definite
///     S = L_bb + L_bu H                their stiffness matrix, the Schur complement of L
///     P_u = H + L_uu⁻¹ D_u H G⁻¹ S     equal to -M_uu⁻¹ M_ub
///
/// For given values x_b, the x_u that minimizes rᵀ D⁻¹ r with r = L x has r_u = D_u H y, and r_b = S x_b + L_bu L_uu⁻¹
/// r_u = D_b y, so that G y = S x_b. The smallest value is x_bᵀ S G⁻¹ S x_b. With soft landmarks x_b minimizes this
/// plus penalty |x_b - e|², which gives x_b = X e, X = penalty (S G⁻¹ S + penalty I)⁻¹, and P = [X; P_u X].
///
/// S is made symmetric with row sums 0, so that rows of P sum to 1 up to the error of the solves.
///
/// Up to 128 landmarks H is kept, by rows of vertices, and its rows are divided by their sums, which are 1: two solves
/// a column of P. With more, G = D_b - L_bu L_uu⁻¹ D_u H is found column by column, and P_u = L_uu⁻¹ (D_u H Z - L_ub)
/// with Z = G⁻¹ S, whose columns H extends: four solves a column, and nothing with n rows and l columns is stored.
///
/// Memory: H, n l numbers, if it is kept; 5 l² for the other matrices over all ranks; blocks of solver.width() columns.
class HarmonicForm {
 public:
  /// Finds S and G, row by row, in the loop "harmonic functions" of the ledger unless H is kept. @param landmarks  in
  /// any order @param penalty  of soft landmarks; 0: they are hard. @param sample_of  for
  /// a plan: the number of landmarks of the solver, of which these are some; P is then not theirs, but takes as long.
  /// All references must outlive this. @throws
  /// Error(numeric) if rows of H do not sum to 1 or G is not positive definite, Error(resource) without memory for H.
  /// Collective.
  HarmonicForm(const Execution& execution, const LaplacianRows& rows, LaplacianSolver& solver,
               const std::vector<Index>& landmarks, double penalty, Index sample_of = 0);

  /// Columns of P at own vertices. @param members  ascending positions in `landmarks`, at most solver.width() of them
  /// @throws as the solver. Collective.
  [[nodiscard]] RowBlock<double> columns(const std::vector<Index>& members);

  /// max |sum of a row - 1| of H before its rows were divided by their sums; 0 if H is not kept. Local.
  [[nodiscard]] double row_sum_error() const { return row_sum_error_; }

  /// True if H is kept: columns take one solve and a product with H, in place of two solves. Local.
  [[nodiscard]] static bool keeps_functions(Index landmarks);

 private:
  struct Matrices {
    BlockCyclicMatrix stiffness;
    std::optional<BlockCyclicMatrix> mass;  // if H is not kept
  };
  [[nodiscard]] Index landmark_count() const { return std::ssize(landmarks_); }
  [[nodiscard]] RowBlock<double> block(Index columns) const;
  [[nodiscard]] RowBlock<double> zeros(Index columns) const;
  enum Reused { solutions, laplacians, reused_blocks };
  [[nodiscard]] RowBlock<double>& reused(Reused which, Index columns);
  [[nodiscard]] RowBlock<double> at_landmarks(const Buffer<double>& values, Index columns) const;
  [[nodiscard]] RowBlock<double> extended(RowBlock<double> values);
  [[nodiscard]] std::vector<Index> restore(RowBlock<double>& stiffness, RowBlock<double>& mass) const;
  void keep(const std::vector<Index>& members, const RowBlock<double>& stiffness, const RowBlock<double>& mass) const;
  void send_columns(const RowBlock<double>& columns, const std::vector<Index>& members, RowBlock<double>& out) const;
  [[nodiscard]] Matrices find_functions();
  void find_block(const std::vector<Index>& members, RowBlock<double>& stiffness, RowBlock<double>& mass);
  void normalize();
  [[nodiscard]] BlockCyclicMatrix mass_of_kept();
  static void symmetrize(BlockCyclicMatrix& matrix);
  void make_core(Matrices matrices);
  [[nodiscard]] static BlockCyclicMatrix columns_of(const BlockCyclicMatrix& matrix, const std::vector<Index>& members);
  [[nodiscard]] RowBlock<double> by_products(const std::vector<Index>& members);
  [[nodiscard]] RowBlock<double> by_solves(const std::vector<Index>& members);
  template <class Factor>
  void scale_rows(RowBlock<double>& values, Factor factor) const;
  [[nodiscard]] bool owns(Index landmark) const { return rows_.range().contains(landmark); }

  const Execution& execution_;
  const LaplacianRows& rows_;
  LaplacianSolver& solver_;
  const std::vector<Index>& landmarks_;
  double penalty_;
  bool sample_, kept_;  // kept: H
  double row_sum_error_ = 0.0;
  RowBlock<double> functions_;  // H, and the rows of the identity at landmarks
  std::array<RowBlock<double>, reused_blocks> reused_;
  std::shared_ptr<const ProcessGrid> grid_;
  std::vector<BlockCyclicMatrix> coefficients_;  // G⁻¹ S, or G⁻¹ S X and X
};

}  // namespace cairn
