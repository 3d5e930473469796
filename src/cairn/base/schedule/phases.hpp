// Time and memory per phase, over all ranks.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/traffic.hpp"

namespace cairn {

/// One row of the table of phases.
struct PhaseSummary {
  std::string name;
  double seconds = 0.0;    ///< wall seconds, maximum over ranks
  double busy = 0.0;       ///< processor seconds of computation, maximum over ranks
  double imbalance = 1.0;  ///< maximum of busy over its mean; 1 if nothing was counted
  Index evaluations = 0;   ///< similarity evaluations, sum over ranks
  Index bytes = 0;         ///< bytes read or written, sum over ranks
  Index peak_bytes = 0;    ///< largest resident memory of a rank during the phase; 0 unless it is measured
  Traffic traffic{};       ///< of communicators, each number the maximum over ranks; not that of ScaLAPACK and PETSc
};

/// The phases of a run on this rank, in the order of their first entry. Repeated entries are added up.
class Phases {
 public:
  /// Measures from construction to destruction.
  class Scope {
   public:
    Scope(Phases& phases, const std::string& name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    void count_evaluations(Index evaluations);
    void count_bytes(Index bytes);
    void count_busy(double seconds);

   private:
    Phases& phases_;
    std::size_t index_;
    std::chrono::steady_clock::time_point start_;
    Traffic before_;
  };

  [[nodiscard]] Scope enter(const std::string& name) { return Scope(*this, name); }

  /// Summary over ranks: the phases of rank 0 in its order, then those that only other ranks have entered. Collective.
  [[nodiscard]] std::vector<PhaseSummary> summarize(const Communicator& communicator) const;

 private:
  struct Entry {
    std::string name;
    double seconds = 0.0;
    double busy = 0.0;
    Index evaluations = 0;
    Index bytes = 0;
    Index peak_bytes = 0;
    Traffic traffic{};
    int active = 0;  // number of open scopes
  };
  // Assigns the peak since the last call to all active phases, then resets it.
  void note_peak();

  std::vector<Entry> entries_;
};

/// Largest resident memory of this process so far, in bytes (VmHWM, and its values before phases reset it).
[[nodiscard]] Index peak_resident_bytes();
/// Resident memory of this process now, in bytes (VmRSS).
[[nodiscard]] Index resident_bytes();
/// Memory that all processes of this node together may still take, in bytes.
[[nodiscard]] Index available_node_bytes();

}  // namespace cairn
