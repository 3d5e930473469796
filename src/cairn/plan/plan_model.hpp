// What a run will take: bytes by item, evaluations, seconds by phase. A pure function of sizes and rates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/base/cost.hpp"
#include "cairn/landmark/landmark_selection.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Name of the bytes of libraries that a method loads.
inline constexpr const char* method_libraries = "libraries that the method loads";

/// How the error will be measured.
struct PlannedEstimate {
  bool measured = true;
  bool fixed = false;               ///< a number of pairs or rows is given; else the plan has the most that is compared
  Index pairs = 0;                  ///< the number, if one is given
  Index rows = 0;                   ///< whole rows, or the most of them; then there are no pairs
  std::optional<double> seconds{};  ///< after which it ends; nothing: seconds_for_estimate of the time before it
};

/// Distances that are kept, and those that an earlier run has.
struct PlannedDistances {
  bool kept = false;  ///< in memory beside the factors
  Index columns = 0;  ///< that are read
  Index random = 0;   ///< of random documents among these
  Index sample = 0;   ///< objects of a second sample there
};

/// Sizes of a run, by what states them.
struct PlanInput {
  DataSize data{};
  const MethodDescriptor* method = nullptr;
  Values values{std::vector<Parameter>{}};       ///< of the method
  std::vector<std::string> operators{};          ///< that the data have, the default first
  Index landmarks = 0;                           ///< s1
  const LandmarkSelection* selection = nullptr;  ///< null: none evaluates or keeps anything
  SimilarityTraits similarity{};
  SourceCost rows{};      ///< of a similarity that comes by whole rows
  Index preparation = 0;  ///< evaluations for the parameters of the similarity
  PlannedEstimate estimate{};
  PlannedDistances distances{};
  Index kept_bytes = 0;         ///< of what rows of K are made of, if the file keeps it
  Index near = 0;               ///< nearest objects of each whose exact entries are kept
  bool checks_near = false;     ///< by whole rows
  Index known_entries = 0;      ///< of a P that is read; 0: it is computed
  Index hanging = 0;            ///< vertices in trees that P is made without; 0 before that is known
  double deflated_share = 1.0;  ///< bytes of a compressed joining matrix in the file over those in memory
  Index value_bytes = 8;        ///< of an entry of the factors: 8 in double precision, 4 in single
  int ranks = 1, threads = 1;
  Index baseline_bytes = 0;  ///< resident on a rank before any data: program, libraries, MPI
  Index memory_limit = 0;    ///< bytes per rank; 0: none

  /// Whether K comes by whole rows.
  [[nodiscard]] bool by_source() const { return method->needs.rows || similarity.single_source; }
};

/// What the method's descriptor is asked with, and what it states if it takes entries. Local.
[[nodiscard]] CostInput cost_input(const PlanInput& input);
[[nodiscard]] MethodCost method_cost(const PlanInput& input);
/// Of one point: its coordinates, or its entries. Local.
[[nodiscard]] inline Index point_bytes(const PlanInput& input) {
  if (input.data.point_entries < 0) return input.data.dimension * input.value_bytes;
  return input.data.point_entries * (8 + input.value_bytes) + 8;
}
/// Rows of the rank that has most. Local.
[[nodiscard]] Index own_rows(const PlanInput& input);

/// Rates of one rank while all run, measured or assumed.
struct PlanRates {
  double evaluations = 0;       ///< similarities a second, in tiles
  double pairs = 0;             ///< similarities a second, in pairs
  double flops = 0;             ///< matrix products
  double eigen_flops = 1;       ///< eigen-decomposition of the order of the joining step, counted as 9 s³
  double cholesky_flops = 1;    ///< pseudo-inverse by a Cholesky factor of that order, counted as 10/3 s³
  double read_bytes = 0;        ///< of the data, all ranks
  double generated_tokens = 0;  ///< of a corpus, a second
  double counted_tokens = 0;    ///< the same, when its co-occurrences are counted
  double write_bytes = 0;       ///< of the result, all ranks
  bool disk_measured = false;   ///< false: the bytes a second are assumed
  double read_seconds = 0;      ///< of the data, if they were read; else 0
};

struct PlanPhase {
  std::string name;
  double seconds = 0;
};

/// What the largest rank holds during one stage of the run.
struct PlanStage {
  std::string name;  ///< of the phase
  Index bytes = 0;
};

struct Plan {
  std::vector<PlanStage> stages;  ///< as the run goes through them
  std::vector<CostItem> items;  ///< bytes of the largest rank that live together at the peak; they add up to peak_bytes
  std::string peak_phase;       ///< when that is
  Index peak_bytes = 0;
  Index shared_bytes = 0;  ///< of these, what all ranks of a node have once
  Index evaluations = 0;   ///< for the factors and exact entries beside them, all ranks
  Index probe_evaluations = 0;
  Index result_bytes = 0;  ///< of the file
  Index node_bytes = 0;  ///< of runs that take whole rows: peak of all ranks of one node, what they share counted once
  Index scratch_bytes = 0;  ///< the same: of the disk, while the program runs
  bool joining_on_disk = false;
};

/// Of the data and what is read beside them: bytes that the largest rank holds once they are read, its part of what a
/// node has once included. Local.
[[nodiscard]] Index held_data_bytes(const PlanInput& input);

/// Memory and evaluations. Local.
/// @throws Error(resource) if sizes are beyond what the plan counts, or a dense matrix or its workspace on a rank
/// beyond what the 32-bit integers of libraries do
[[nodiscard]] Plan plan_memory(const PlanInput& input);

/// Cuts the last phase, an estimate of the error, where time ends it; not if its number is fixed.
/// @param first  seconds that it takes in any case. Local.
void limit_estimate(std::vector<PlanPhase>& phases, const PlannedEstimate& estimate, double first = 0);

/// Seconds by phase. Local.
[[nodiscard]] std::vector<PlanPhase> plan_seconds(const PlanInput& input, const Plan& plan, const PlanRates& rates);

}  // namespace cairn
