// What a run will take: bytes by item, evaluations, seconds by phase. A pure function of sizes and rates.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/method.hpp"
#include "cairn/base/index.hpp"

namespace cairn {

/// Sizes of a run.
struct PlanInput {
  Index objects = 0;
  Index dimension = 0;       ///< 0 for a matrix
  Index document_bytes = 0;  ///< documents: of one, on average
  Index word_bytes = 0;      ///< documents: of the words and their vectors, once per node
  Index number_bytes = 8;    ///< 8 in double precision, 4 in single
  bool labels = false;
  bool interpolates = false;  ///< biharmonic interpolation; else `cost` says what the method takes
  MethodCost cost;
  bool needs_count = true;  ///< the method needs landmarks.count
  std::string selection = "uniform";
  Index s1 = 0;
  int evaluations_per_entry = 1;
  Index preparation = 0;  ///< evaluations for the parameters of the similarity
  bool measures_error = true;
  bool fixed_probe = false;      ///< [evaluation] gives a number; else the plan has the most that is compared
  Index pairs = 0;               ///< evaluation.pairs
  bool keeps_distances = false;  ///< output.distances, similarity.reuse
  Index read_columns = 0;        ///< of distances, from similarity.reuse
  Index read_random = 0;         ///< of random documents among these
  Index read_sample = 0;         ///< objects of a second sample there
  Index probe_rows = 0;          ///< evaluation.rows, or the most without it; then there are no pairs
  bool by_source = false;        ///< K comes by whole columns
  std::string similarity;        ///< its kind
  Index tile_number_bytes = 8;   ///< of a value that comes by source; biharmonic: of an entry of W
  int threads = 1;
  std::string solver = "auto";   ///< of the columns of P; biharmonic, from here on
  std::string storage = "auto";  ///< approximation.joining-storage
  bool soft = false;             ///< landmarks are, and P has no unit rows
  bool mesh = false;             ///< the data are one
  Index arcs = 0;                ///< of the graph that the operator is made of, two an edge
  bool weighted = false;         ///< these have lengths or weights
  Index p_row = 0;               ///< nonzeros in a row of P
  double patch_share = 1.0;      ///< of the vertices, in a patch of the local solver
  Index reused_entries = 0;      ///< of a P that is read; 0: it is computed
  bool compressed = true;        ///< W in the result file
  double deflated_share = 1.0;   ///< bytes of W in the file over those in memory
  Index memory_limit = 0;        ///< run.memory; 0: none
  int ranks = 1;
  Index baseline_bytes = 0;  ///< resident on a rank before any data: program, libraries, MPI
};

/// Rates of one rank while all run, measured or assumed.
struct PlanRates {
  double evaluations = 0;     ///< similarities a second, in tiles
  double pairs = 0;           ///< similarities a second, in pairs
  double flops = 0;           ///< matrix products
  double eigen_flops = 0;     ///< eigen-decomposition, counted as 9 s³
  double cholesky_flops = 0;  ///< pseudo-inverse by a Cholesky factor, counted as 10/3 s³
  double read_bytes = 0;      ///< of the data, all ranks
  double write_bytes = 0;     ///< of the result, all ranks
};

struct PlanItem {
  std::string name;
  Index bytes = 0;
};

struct PlanPhase {
  std::string name;
  double seconds = 0;
};

struct Plan {
  std::vector<PlanItem> items;  ///< bytes of the largest rank that live together at the peak; they add up to peak_bytes
  std::string peak_phase;       ///< when that is
  Index peak_bytes = 0;
  Index evaluations = 0;  ///< for the factors, all ranks
  Index probe_evaluations = 0;
  Index result_bytes = 0;   ///< of the file
  Index node_bytes = 0;     ///< biharmonic: peak of all ranks of one node, what they share counted once
  Index scratch_bytes = 0;  ///< biharmonic: of the disk, while the program runs
  bool joining_on_disk = false;
};

/// Memory and evaluations. Local.
[[nodiscard]] Plan plan_memory(const PlanInput& input);

/// The last phase is an estimate of the error without a fixed number: it ends after seconds_for_estimate of the time
/// before it. Local.
void limit_estimate(std::vector<PlanPhase>& phases);

/// Seconds by phase. Local.
[[nodiscard]] std::vector<PlanPhase> plan_seconds(const PlanInput& input, const Plan& plan, const PlanRates& rates);

}  // namespace cairn
