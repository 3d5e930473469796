// Memory that the processes of a node share without MPI.
#pragma once

#include "cairn/base/mpi/communicator.hpp"

namespace cairn::detail {

/// A nameless file in memory (memfd) that every rank of a node maps. The system frees it when the last rank releases
/// it, however that rank ends. Unwritten bytes are zero.
class MemoryFile {
 public:
  /// @param node  the ranks that share; they have the same user and process namespace
  /// @throws Error(resource) on all ranks of `communicator` if one node fails. Collective over `communicator`.
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
