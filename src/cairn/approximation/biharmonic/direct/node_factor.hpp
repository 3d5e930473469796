// A sparse Cholesky factor that the ranks of a node share.
#pragma once

#include <cholmod.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "cairn/approximation/biharmonic/operator_view.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"

namespace cairn {

/// L Lᵀ of a sparse symmetric positive definite matrix by CHOLMOD (64-bit interface; the better of AMD and METIS
/// orderings; simplicial or supernodal as CHOLMOD finds faster). One rank of each node factors and copies the factor
/// into shared memory; all of its ranks solve with it.
class NodeFactor {
 public:
  /// @param matrix  called on one rank of each node, with the bytes that the factor may take
  /// @param memory  bytes that each rank of the node may take; 0: no limit
  /// @throws Error(numeric) if it is not positive definite, Error(resource) if the factor, twice, would take more
  /// than 80 % of the memory that the node has left, or of that of its ranks. Collective. Memory: twice the factor for
  /// a moment.
  NodeFactor(const Communicator& communicator, const std::function<LowerTriangle<std::int64_t>(double)>& matrix,
             Index memory = 0);

  /// @param entries  that a factor has, or has at least
  /// @throws Error(resource) if it, twice, is more than 80 % of `memory`. Local.
  static void require_room(Index size, double entries, double memory);

  /// CHOLMOD's workspaces for solves, one a thread.
  class Workspace {
   public:
    Workspace();
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

   private:
    friend class NodeFactor;
    cholmod_common common_{};
    cholmod_dense *solution_ = nullptr, *permuted_ = nullptr, *extra_ = nullptr;
  };
  /// Replaces `columns` right-hand sides, one after the other, by the solutions. Local, thread-safe.
  void solve(std::span<double> right_hand_sides, Index columns, Workspace& workspace) const;

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index entries() const { return entries_; }
  /// 1-norm of the matrix times an estimate (from below) of that of its inverse by Hager's method.
  /// [Higham, Accuracy and Stability of Numerical Algorithms, algorithm 15.1.]
  [[nodiscard]] double condition_estimate(Workspace& workspace) const;

 private:
  cholmod_factor factor_{};  // its arrays lie in memory_
  NodeArray<std::byte> memory_;
  Index size_ = 0, entries_ = 0;
  double norm_ = 0.0;
};

}  // namespace cairn
