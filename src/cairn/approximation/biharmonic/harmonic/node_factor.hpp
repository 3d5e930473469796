// A sparse Cholesky factor that the ranks of a node share.
#pragma once

#include <cholmod.h>

#include <cstddef>
#include <functional>
#include <span>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/operator/operator_view.hpp"

namespace cairn {

/// L Lᵀ of a sparse symmetric positive definite matrix by CHOLMOD (64-bit interface; the better of AMD and METIS
/// orderings; simplicial or supernodal, whichever CHOLMOD finds faster). One rank of each node factors and copies the
/// factor into shared memory; all ranks of the node solve with it.
class NodeFactor {
 public:
  /// @param matrix  called on one rank of each node, with the number of bytes that the factor may take
  /// @param memory  bytes that each rank of the node may take; 0: no limit
  /// @throws Error(numeric) if it is not positive definite, Error(resource) if twice the factor exceeds 80 % of the
  /// memory available on the node, or to its ranks. Collective. Memory: temporarily twice the factor.
  NodeFactor(const Communicator& communicator, const std::function<LowerTriangle<SuiteSparse_long>(double)>& matrix,
             Index memory = 0);

  /// @param bytes  of the factor, or a lower bound
  /// @throws Error(resource) if twice the factor exceeds 80 % of `memory`. Local.
  static void require_budget(Index size, double bytes, double memory);

  /// CHOLMOD's workspaces for solves, one per thread.
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
  /// Replaces `columns` right-hand sides, stored one after another, by the solutions. Local, thread-safe.
  void solve(std::span<double> right_hand_sides, Index columns, Workspace& workspace) const;

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index entries() const { return entries_; }

 private:
  cholmod_factor factor_{};  // its arrays lie in memory_
  NodeArray<std::byte> memory_;
  Index size_ = 0, entries_ = 0;
};

}  // namespace cairn
