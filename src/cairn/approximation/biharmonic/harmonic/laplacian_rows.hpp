// Products with V - A by all ranks together.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/base/matrix_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/operator/operator_view.hpp"

namespace cairn {

/// The rows of L = V - A of this rank's vertices, as distributed by RowPartition(n, ranks), and the lists to fetch the
/// values of their neighbors on other ranks. Memory: 4 bytes per own arc, and 8 per neighbor on another rank.
class LaplacianRows {
 public:
  /// @param communicator  must outlive this, as must the operator @param threads  for products. Collective.
  LaplacianRows(const Communicator& communicator, const OperatorView& op, int threads);

  [[nodiscard]] Index size() const { return partition_.rows(); }
  [[nodiscard]] Range range() const { return range_; }
  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] const Communicator& communicator() const { return communicator_; }
  [[nodiscard]] const OperatorView& view() const { return op_; }

  /// Y = L X by sums of weighted differences: constants cancel before multiplication. The rows of both are those of own
  /// vertices. Collective.
  void multiply(MatrixView<const double> x, MatrixView<double> y) const;

 private:
  void find_ghosts();

  const Communicator& communicator_;
  OperatorView op_;
  int threads_;
  RowPartition partition_;
  Range range_;
  std::vector<std::int32_t> ghosts_;               // vertices of other ranks adjacent to own ones, ascending
  std::vector<std::int32_t> neighbors_;            // by arc of own vertices: own places, then those of ghosts
  std::vector<std::vector<std::int32_t>> wanted_;  // by rank: own places whose values it needs
};

}  // namespace cairn
