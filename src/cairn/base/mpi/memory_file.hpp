// Memory that the processes of a node share without the help of MPI.
#pragma once

#include "cairn/base/mpi/communicator.hpp"

namespace cairn::detail {

/// Bytes of a nameless file in memory (memfd) that every rank of a node has mapped; the system frees them when the last
/// rank has let go of them, whatever ends it. Uninitialised bytes are zero.
class MemoryFile {
 public:
  /// @param node  the ranks that share; of one user, in one process namespace
  /// @throws Error(resource) on all ranks of `communicator` where one node cannot. Collective over `communicator`.
  MemoryFile(const Communicator& communicator, const Communicator& node, Index bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  Index bytes_ = 0;
};

}  // namespace cairn::detail
