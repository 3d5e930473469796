#include "plan_model.hpp"

#include <algorithm>
#include <cmath>

#include "approximation/probe.hpp"
#include "base/row_partition.hpp"

namespace cairn::app {

namespace {

// Sizes that follow from the input.
struct Sizes {
  Index rows = 0;  // of the largest rank
  Index s1 = 0, s2 = 0;
  Index left = 0, right = 0;  // columns of the factors; right = 0 where it is the left one
  Index columns = 0;          // of K that are evaluated over all rows
  double joining = 0;         // order of the joining step
};

bool is_cur(const std::string& method) { return method == "skeleton" || method == "sicur" || method == "stacur"; }

Index default_s2(const PlanInput& input) {
  if (input.method == "sms-nystrom" || input.method == "sicur" || input.method == "auto") return 2 * input.s1;
  if (input.method == "skeleton" || input.method == "stacur") return input.s1;
  return 0;
}

Sizes sizes_of(const PlanInput& input) {
  Sizes sizes;
  const RowPartition partition(input.objects, input.ranks);
  for (int rank = 0; rank < input.ranks; ++rank) sizes.rows = std::max(sizes.rows, partition.range(rank).size());
  sizes.s1 = input.s1;
  sizes.s2 = std::min(input.objects, input.s2 > 0 ? input.s2 : default_s2(input));
  if (input.method == "optimal") {
    sizes.s1 = sizes.left = input.rank;
    sizes.joining = static_cast<double>(input.objects);
    sizes.columns = input.objects;
    return sizes;
  }
  const bool one_sample = input.method == "stacur" && input.samples == "same";
  const bool two_blocks = (is_cur(input.method) || input.method == "auto") && !one_sample;
  sizes.left = sizes.s1;
  sizes.right = two_blocks ? (input.embedding ? sizes.s1 : sizes.s2) : 0;
  // The second sample of SiCUR contains the first; that of skeleton and StaCUR shares few with it.
  const bool nested = input.method == "sicur" || input.method == "auto";
  sizes.columns = nested ? sizes.s2 : sizes.s1 + (two_blocks ? sizes.s2 : 0);
  sizes.joining = static_cast<double>(input.method == "sms-nystrom" ? sizes.s2 : std::max(sizes.s1, Index{1}));
  return sizes;
}

Index block_bytes(const PlanInput& input, Index rows, Index columns) { return rows * columns * input.number_bytes; }

// s² numbers of the joining step, and what pdsyevd or pdgesvd works in: the matrix, its eigenvectors, a copy,
// workspace.
Index joining_bytes(const PlanInput& input, const Sizes& sizes) {
  constexpr double matrices = 6;  // measured at s = 4,000 on 2 ranks
  const double order = std::max(sizes.joining, 64.0);
  return static_cast<Index>(matrices * order * order * 8 / input.ranks);
}

struct Stage {
  std::string name;
  std::vector<PlanItem> items;
};

Index total(const std::vector<PlanItem>& items) {
  Index bytes = 0;
  for (const PlanItem& item : items) bytes += item.bytes;
  return bytes;
}

// What lives beside data and factors, stage by stage.
std::vector<Stage> stages(const PlanInput& input, const Sizes& sizes, Index pairs) {
  const Index objects_bytes = std::max<Index>(input.dimension * input.number_bytes, 16);
  std::vector<Stage> all;
  if (input.selection == "rpcholesky") {
    all.push_back({"landmarks", {{"factor of the pivoted Cholesky", block_bytes(input, sizes.rows, sizes.s1)}}});
  }
  all.push_back({"joining", {{"joining step", joining_bytes(input, sizes)}}});
  const bool in_place = input.definite && (input.method == "nystrom" || input.method == "sms-nystrom");
  if (input.embedding && !in_place) {
    all.push_back({"embedding",
                   {{"embedding, before it replaces the columns", block_bytes(input, sizes.rows, sizes.left)},
                    {"panel of the map", sizes.left * 256 * 8},
                    {"joining matrix", joining_bytes(input, sizes) / 6}}});
  }
  // A batch holds the objects of both sides and the factor rows of both sides.
  const Index batch =
      std::min<Index>(pairs / input.ranks + 1, std::min<Index>(65536, (Index{32} << 20) / objects_bytes));
  const Index factor_bytes = (sizes.left + std::max(sizes.right, sizes.left)) * input.number_bytes;
  const Index factor_rows =
      std::min<Index>(batch, std::max<Index>(1, (Index{64} << 20) / std::max<Index>(1, factor_bytes)));
  all.push_back({"probe",
                 {{"probe: objects of a batch of pairs", 2 * 2 * batch * objects_bytes},
                  {"probe: factor rows of a batch", 2 * factor_rows * factor_bytes},
                  {"joining matrix, replicated where it is used", static_cast<Index>(sizes.joining * 256 * 8)}}});
  return all;
}

}  // namespace

Plan plan_memory(const PlanInput& input) {
  const Sizes sizes = sizes_of(input);
  Plan plan;
  plan.s2 = sizes.s2;
  const Index n = input.objects;
  plan.evaluations = n * sizes.columns * input.evaluations_per_entry;
  if (input.method == "sms-nystrom") plan.evaluations += sizes.s2 * sizes.s2 * input.evaluations_per_entry;
  if (input.method == "auto" && input.budget > 0) plan.evaluations = static_cast<Index>(input.budget) * 6;
  if (input.selection == "rpcholesky" || input.selection == "farthest") plan.evaluations += n;
  const Index pairs = input.probe_rows > 0 ? 0 : input.pairs > 0 ? input.pairs : default_probe_pairs(plan.evaluations);
  plan.probe_evaluations =
      input.evaluations_per_entry * (input.probe_rows > 0 ? input.probe_rows * n : pairs + std::min<Index>(n, 1000));
  plan.result_bytes = block_bytes(input, n, sizes.left + sizes.right) +
                      static_cast<Index>(sizes.joining * sizes.joining * 8 * (input.embedding ? 1 : 2)) +
                      sizes.columns * input.dimension * input.number_bytes;

  constexpr Index label_bytes = 32;  // a short std::string
  std::vector<PlanItem> resident = {
      {"program and libraries", input.baseline_bytes},
      {"data", block_bytes(input, sizes.rows, input.dimension) + (input.labels ? sizes.rows * label_bytes : 0)},
      {"landmarks, replicated", sizes.columns * input.dimension * input.number_bytes},
      {"left factor", block_bytes(input, sizes.rows, input.method == "optimal" ? n : sizes.left)}};
  if (sizes.right > 0) resident.push_back({"right factor", block_bytes(input, sizes.rows, sizes.right)});
  Stage worst{"evaluation", {}};
  for (const Stage& stage : stages(input, sizes, pairs)) {
    if (total(stage.items) > total(worst.items)) worst = stage;
  }
  plan.peak_phase = worst.name;
  plan.items = std::move(resident);
  plan.items.insert(plan.items.end(), worst.items.begin(), worst.items.end());
  plan.peak_bytes = total(plan.items);
  return plan;
}

std::vector<PlanPhase> plan_seconds(const PlanInput& input, const Plan& plan, const PlanRates& rates) {
  const Sizes sizes = sizes_of(input);
  const double ranks = input.ranks;
  const double data_bytes =
      static_cast<double>(input.objects * std::max<Index>(input.dimension, 1) * input.number_bytes);
  const double order = sizes.joining;
  std::vector<PlanPhase> phases = {{"read", data_bytes / rates.read_bytes},
                                   {"similarities", static_cast<double>(plan.evaluations) / ranks / rates.evaluations},
                                   {"joining", 9 * order * order * order / ranks / rates.eigen_flops}};
  if (input.embedding) {
    phases.back().seconds +=
        2 * static_cast<double>(sizes.rows) * static_cast<double>(sizes.left * sizes.left) / rates.flops;
  }
  const double factor_flops = 2 * static_cast<double>(sizes.left * std::max(sizes.right, sizes.left));
  const auto probed = static_cast<double>(plan.probe_evaluations) / ranks;
  phases.push_back({"probe", probed / rates.pairs + probed * factor_flops / rates.flops});
  phases.push_back({"write", static_cast<double>(plan.result_bytes) / rates.write_bytes});
  return phases;
}

}  // namespace cairn::app
