// Predicted cost of a run: bytes by item, evaluations, seconds by phase. A pure function of sizes and rates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/error/error_estimate.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/approximation/method.hpp"
#include "cairn/base/cost.hpp"
#include "cairn/landmark/landmark_selection.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"
#include "cairn/similarity/source_columns.hpp"

namespace cairn {

/// Name of the cost item for libraries that a method loads.
inline constexpr const char* method_libraries = "libraries that the method loads";

/// Planned measurement of the error.
struct PlannedEstimate {
  bool measured = true;
  bool fixed = false;  ///< the number of pairs or rows is given; else the plan uses the largest number that is compared
  Index pairs = 0;     ///< the number, if one is given
  Index rows = 0;      ///< number of whole rows, or its upper bound; then there are no pairs
  std::optional<double> seconds{};  ///< time limit; nothing: there is none
  double share = share_of_run;      ///< as in EstimateEffort
};

/// Distances that are kept, and those from an earlier run.
struct PlannedDistances {
  bool kept = false;  ///< in memory beside the factors
  Index columns = 0;  ///< columns that are read
  Index random = 0;   ///< number of random documents among these
  Index sample = 0;   ///< objects of a second sample among what is read
};

/// Sizes of a run, grouped by their source.
struct PlanInput {
  DataSize data{};
  const MethodDescriptor* method = nullptr;
  Values values{std::vector<Parameter>{}};       ///< values of the method's parameters
  std::vector<std::string> operators{};          ///< operators of the data, the default first
  Index landmarks = 0;                           ///< s1
  const LandmarkSelection* selection = nullptr;  ///< null: no selection that evaluates or keeps anything
  SimilarityTraits similarity{};
  SourceCost rows{};       ///< of the row oracle of K
  Index column_bytes = 0;  ///< bytes of an entry of columns that come as integers and stay such in factors; 0: none do
  Index preparation = 0;   ///< evaluations for the parameters of the similarity
  PlannedEstimate estimate{};
  PlannedDistances distances{};
  Index kept_bytes = 0;         ///< of the data behind rows of K, if the file keeps it
  Index near = 0;               ///< nearest objects per object whose exact entries are kept
  bool checks_near = false;     ///< by whole rows
  bool near_exact = false;      ///< they are found by K itself
  Index known_entries = 0;      ///< entries of a P that is read; 0: P is computed
  Index hanging = 0;            ///< vertices in pendant trees, which P excludes; 0 before that is known
  double deflated_share = 1.0;  ///< bytes of a compressed core matrix in the file relative to those in memory
  Index value_bytes = 8;        ///< of an entry of the factors: 8 in double precision, 4 in single
  int ranks = 1, threads = 1;
  Index baseline_bytes = 0;  ///< resident on a rank before any data: program, libraries, MPI
  Index memory_limit = 0;    ///< bytes per rank; 0: none

  /// True if K is given by whole rows.
  [[nodiscard]] bool by_source() const { return method->needs.rows || similarity.single_source; }
};

/// The input for the method's descriptor, and the cost that it states if it takes entries. Local.
[[nodiscard]] CostInput cost_input(const PlanInput& input);
[[nodiscard]] MethodCost method_cost(const PlanInput& input);
/// Bytes of one point: its coordinates, or its entries. Local.
[[nodiscard]] inline Index point_bytes(const PlanInput& input) {
  if (input.data.point_entries < 0) return input.data.dimension * input.value_bytes;
  return input.data.point_entries * (8 + input.value_bytes) + 8;
}
/// Upper bounds on what the probe compares; nothing if it compares whole rows, or if no error is measured. Local.
[[nodiscard]] ProbeSize probe_plan(const PlanInput& input);
/// The pairs that it compares: those that were asked for, or those by which most estimates end. Local.
[[nodiscard]] Index usual_pairs(const PlanInput& input);
/// How the columns of a similarity that gives whole ones are dealt to ranks, and the bytes of a value on its way.
/// Local.
struct SourceColumnsPlan {
  SourceColumnBands bands;
  Index value_bytes = 8;
};
[[nodiscard]] SourceColumnsPlan source_columns_plan(const PlanInput& input);
/// Number of rows of the rank that has most. Local.
[[nodiscard]] Index own_rows(const PlanInput& input);

/// Rates of one rank while all ranks run, measured or assumed.
struct PlanRates {
  double evaluations = 0;       ///< similarities per second, in tiles
  double pairs = 0;             ///< similarities per second, in pairs
  double flops = 0;             ///< matrix products
  double fresh_bytes = 1e300;   ///< first writing of memory, per second
  double eigen_flops = 1;       ///< eigen-decomposition of the order of the core matrix, counted as 9 s³
  double cholesky_flops = 1;    ///< pseudo-inverse by a Cholesky factor of that order, counted as s³
  double read_bytes = 0;        ///< of the data, all ranks
  double generated_tokens = 0;  ///< of a corpus, per second
  double counted_tokens = 0;    ///< the same, while its co-occurrences are counted
  double write_bytes = 0;       ///< of the result, all ranks
  bool disk_measured = false;   ///< false: the bytes per second are assumed
  double read_seconds = 0;      ///< of the data, if they were read; else 0
};

struct PlanPhase {
  std::string name;
  double seconds = 0;
};

/// Memory of the largest rank during one stage of the run.
struct PlanStage {
  std::string name;  ///< name of the phase
  Index bytes = 0;
};

struct Plan {
  std::vector<PlanStage> stages;  ///< in the order of the run
  std::vector<CostItem> items;    ///< bytes on the largest rank at the peak, by item; they add up to peak_bytes
  std::string peak_phase;         ///< phase of the peak
  Index peak_bytes = 0;
  Index shared_bytes = 0;  ///< the part of these that each node holds once
  Index evaluations = 0;   ///< for the factors and exact entries beside them, all ranks
  Index probe_evaluations = 0;
  Index result_bytes = 0;   ///< of the file
  Index node_bytes = 0;     ///< if the run takes whole rows: peak of all ranks of one node, shared memory counted once
  Index scratch_bytes = 0;  ///< if the run takes whole rows: bytes on disk while the program runs
  bool core_on_disk = false;
};

/// Bytes of the data and of other inputs on the largest rank once they are read, including its part of what a node
/// holds once. Local.
[[nodiscard]] Index held_data_bytes(const PlanInput& input);

/// Memory and evaluations. Local.
/// @throws Error(resource) if sizes exceed what the plan counts, or if a dense matrix or its workspace on a rank
/// exceeds the 32-bit integers of libraries
[[nodiscard]] Plan plan_memory(const PlanInput& input);

/// Limits the last phase, an estimate of the error, to its time limit if it has one; no effect if its number is fixed.
/// @param first  seconds that it takes in any case. Local.
void limit_estimate(std::vector<PlanPhase>& phases, const PlannedEstimate& estimate, double first = 0);

/// Seconds by phase. Local.
[[nodiscard]] std::vector<PlanPhase> plan_seconds(const PlanInput& input, const Plan& plan, const PlanRates& rates);

}  // namespace cairn
