// The library interface for programs: objects, a similarity, an approximation, its error, a file. This header is
// enough.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/parameters/given.hpp"
#include "cairn/parameters/memory_limit.hpp"
#include "cairn/run/approximate.hpp"
#include "cairn/run/keys/checkpointing.hpp"
#include "cairn/run/objects.hpp"
#include "cairn/run/planning/planning.hpp"
#include "cairn/run/result.hpp"
#include "cairn/run/similarity_matrix.hpp"
#include "cairn/run/tasks.hpp"

namespace cairn {

/// SessionOptions::memory of a session that never refuses work for lack of memory.
inline constexpr Index unlimited_memory = -1;

/// Options of a session.
struct SessionOptions {
  int threads = 1;                        ///< OpenMP and BLAS threads of each rank
  std::uint64_t seed = 1;                 ///< seed of every random draw; the default is that of run.seed
  Index memory = 0;                       ///< memory limit in bytes per rank; 0: the free memory; or unlimited_memory
  std::string scratch_folder{};           ///< for matrices that are kept on disk; empty: the working directory
  std::chrono::seconds stall_timeout{0};  ///< all ranks are aborted after this time without progress; 0: never
  TileWatch watch{};                      ///< shows progress, or ends a computation between two tiles
};

/// Context of all functions in this folder: ranks, threads, seed, phases and ledger. Copies share the same session, and
/// objects created in a session keep it alive. All of them must end before MPI_Finalize.
///
/// Every function that takes a session is collective over its ranks, and throws the same Error on each of them. All
/// ranks must pass the same values, names and paths, otherwise the call is refused. Arguments documented as per rank
/// (rows, pairs) may differ.
class Session {
 public:
  /// Uses a duplicate of `ranks`, and the kernels of BLAS that choose_blas_kernels() takes. @throws Error(usage) if MPI
  /// is not running, or for fewer than 1 thread. Collective.
  explicit Session(MPI_Comm ranks, const SessionOptions& options = {});

  [[nodiscard]] const Communicator& communicator() const;
  [[nodiscard]] const Execution& execution() const;
  [[nodiscard]] const SessionOptions& options() const;
  /// Ledger of all computations, which keeps their tiles in a checkpoint if it has one.
  [[nodiscard]] RunLedger& ledger() const;
  /// Memory limit of the options.
  [[nodiscard]] MemoryLimit memory() const;
  /// Seconds, evaluations and bytes by phase so far. Collective.
  [[nodiscard]] std::vector<PhaseSummary> phases() const;
  /// Compares the name and the arguments of a call with those of rank 0, by one small reduction. The functions of this
  /// folder call it first. @throws Error(usage) that names the first rank and argument that differ. Collective.
  void require_same_call(const std::string& function, std::vector<std::string> arguments) const;
  /// Keeps the session alive. Local.
  [[nodiscard]] std::shared_ptr<const void> share() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cairn
