// Computes columns of P like the paper's authors, as a user would with CHOLMOD.
#pragma once

#include <cholmod.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "cairn/operator/operator_view.hpp"

namespace cairn::bench {

/// A factor of M_uu by CHOLMOD (the better of AMD and METIS) on this rank, dense solves in blocks of 64 right-hand
/// sides with workspaces that are reused for all blocks, selection of the largest entries. Uses only the assembly of M
/// from Cairn. Local. Memory: the factor, and 3 x 512 bytes per vertex.
class DenseSolves {
 public:
  static constexpr Index block = 64;
  /// @param supernodal  false: simplicial; which is faster depends on the fill
  DenseSolves(const OperatorView& op, const std::vector<Index>& landmarks, bool supernodal);
  ~DenseSolves();
  DenseSolves(const DenseSolves&) = delete;
  DenseSolves& operator=(const DenseSolves&) = delete;

  /// Vertices, ascending, with their values.
  using Column = std::vector<std::pair<std::int32_t, double>>;
  /// Columns of landmarks first .. first + 63: the `kept` largest entries of each.
  [[nodiscard]] std::vector<Column> solve(Index first, Index kept);
  [[nodiscard]] double entries() const { return entries_; }

 private:
  void column_of_m(Index k, double* out) const;
  [[nodiscard]] Column largest(const double* x, Index kept);

  OperatorView op_;
  const std::vector<Index>& landmarks_;
  std::vector<std::int32_t> position_, vertices_;
  std::vector<double> magnitudes_;
  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *right_ = nullptr, *solution_ = nullptr, *work_ = nullptr, *extra_ = nullptr;
  double entries_ = 0.0;
};

}  // namespace cairn::bench
