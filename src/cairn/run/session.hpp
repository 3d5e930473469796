// The library as a program calls it: objects, a similarity, an approximation, its error, a file. This header is enough.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/run/approximate.hpp"
#include "cairn/run/given.hpp"
#include "cairn/run/objects.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/run/result.hpp"
#include "cairn/run/similarity_matrix.hpp"
#include "cairn/run/tasks.hpp"

namespace cairn {

/// SessionOptions::memory of a session that refuses nothing for want of memory.
inline constexpr Index unlimited_memory = -1;

/// How a session computes.
struct SessionOptions {
  int threads = 1;                        ///< OpenMP and BLAS threads of each rank
  std::uint64_t seed = 1;                 ///< of every random draw; the default is that of run.seed
  Index memory = 0;                       ///< bytes per rank to count on; 0: what is free; or unlimited_memory
  std::string scratch_folder{};           ///< of matrices that are kept on disk; empty: the working directory
  std::chrono::seconds stall_timeout{0};  ///< all ranks are aborted after so long without progress; 0: never
  std::shared_ptr<TileLedger> ledger{};   ///< of finished tiles; one that remembers serves one approximate()
};

/// What all functions of this folder compute in: the ranks, threads, seed, phases and ledger. Copies are the same
/// session, and what was made in a session keeps it alive. All of it ends before MPI_Finalize.
///
/// Every function that takes a session is collective over its ranks, and throws the same Error on each of them. All
/// ranks give it the same values, names and paths: others are refused, but for what is each rank's own by its
/// documentation (rows, pairs).
class Session {
 public:
  /// Over a duplicate of `ranks`. @throws Error(usage) if MPI does not run, or for fewer than 1 thread. Collective.
  explicit Session(MPI_Comm ranks, const SessionOptions& options = {});

  [[nodiscard]] const Communicator& communicator() const;
  [[nodiscard]] const Execution& execution() const;
  [[nodiscard]] const SessionOptions& options() const;
  /// What the options say of memory.
  [[nodiscard]] MemoryLimit memory() const;
  /// Seconds, evaluations and bytes by phase so far. Collective.
  [[nodiscard]] std::vector<PhaseSummary> phases() const;
  /// Holds the name and the arguments of a call against those of rank 0, by one small reduction: the functions of this
  /// folder do so before anything else. @throws Error(usage) that names the first rank and argument that differ.
  /// Collective.
  void require_same_call(const std::string& function, std::vector<std::string> arguments) const;
  /// Keeps the session alive. Local.
  [[nodiscard]] std::shared_ptr<const void> share() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cairn
