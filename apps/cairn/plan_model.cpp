#include "plan_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "approximation/entry_comparison.hpp"
#include "approximation/entry_limits.hpp"
#include "approximation/fetch_rows.hpp"
#include "approximation/probe.hpp"
#include "approximation/validation_columns.hpp"
#include "base/row_partition.hpp"
#include "biharmonic_plan.hpp"
#include "evaluation/exact_error.hpp"
#include "linalg/dense_algorithms.hpp"
#include "similarity/source_columns.hpp"

namespace cairn::app {

namespace {

// Sizes that follow from the input.
struct Sizes {
  Index rows = 0;  // of the largest rank
  Index s1 = 0, s2 = 0;
  Index left = 0, right = 0;  // columns of the factors; right = 0 where it is the left one
  Index columns = 0;          // of K that are evaluated over all rows
  Index apart = 0;            // of these, those of a second sample that is drawn without regard to the first
  double joining = 0;         // order of the joining step
};

bool is_cur(const std::string& method) { return method == "skeleton" || method == "sicur" || method == "stacur"; }

Index default_s2(const PlanInput& input) {
  if (input.method == "sms-nystrom" || input.method == "sicur") return 2 * input.s1;
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
  if (input.method == "wme") {  // nothing is joined
    sizes.left = sizes.columns = input.s1;
    return sizes;
  }
  const bool one_sample = input.method == "stacur" && input.samples == "same";
  const bool two_blocks = is_cur(input.method) && !one_sample;
  if (input.method == "auto" && input.budget > 0) {
    sizes.s1 =
        std::clamp<Index>(static_cast<Index>(input.budget / static_cast<double>(input.objects)), 1, input.objects);
  }
  sizes.left = sizes.s1;
  sizes.right = two_blocks ? (input.embedding ? sizes.s1 : sizes.s2) : 0;
  // The second sample of SiCUR contains the first; that of skeleton and StaCUR shares few with it.
  sizes.apart = two_blocks && input.method != "sicur" ? sizes.s2 : 0;
  sizes.columns = input.method == "sicur" ? sizes.s2 : sizes.s1 + sizes.apart;
  sizes.joining = static_cast<double>(input.method == "sms-nystrom" ? sizes.s2 : std::max(sizes.s1, Index{1}));
  return sizes;
}

Index block_bytes(const PlanInput& input, Index rows, Index columns) { return rows * columns * input.number_bytes; }

// Of one object: a point, or a document of average length.
Index object_bytes(const PlanInput& input) {
  return input.document_bytes > 0 ? input.document_bytes : input.dimension * input.number_bytes;
}

// s² numbers of the joining step, and what pdsyevd or pdgesvd works in: the matrix, its eigenvectors, a copy,
// workspace.
Index joining_bytes(const PlanInput& input, const Sizes& sizes) {
  constexpr double matrices = 6;  // measured at s = 4,000 on 2 ranks
  constexpr double least = BlockCyclicMatrix::block;
  const auto ranks_for = [&](double rows, Index serial_rows) {  // small ones are LAPACK's, on one rank
    return rows <= static_cast<double>(serial_rows) ? 1 : input.ranks;
  };
  const double order = std::max(sizes.joining, least);
  if (is_cur(input.method) && input.method != "stacur") {
    const double other = std::max(static_cast<double>(sizes.s2), least);
    return static_cast<Index>(matrices * order * other * 8 / ranks_for(std::max(order, other), serial_singular_rows));
  }
  if (!expects_cholesky(input))
    return static_cast<Index>(matrices * order * order * 8 / ranks_for(order, serial_eigen_rows));
  // Between a Cholesky factor (4.5 measured at s = 8,000 on 2 ranks, 4.7 with buffers) and the eigen-decomposition that
  // follows where something is to be dropped after all.
  constexpr double cholesky_matrices = 5.4;
  return static_cast<Index>(cholesky_matrices * order * order * 8 / input.ranks);
}

double joining_seconds(const PlanInput& input, const Sizes& sizes, const PlanRates& rates) {
  if (input.method == "wme") return 0.0;
  const double order = input.method == "optimal" ? sizes.joining : static_cast<double>(sizes.s1);
  const double cube = order * order * order / input.ranks;
  double seconds = expects_cholesky(input) ? 10.0 / 3.0 * cube / rates.cholesky_flops : 9 * cube / rates.eigen_flops;
  if (input.method == "sms-nystrom") {  // the smallest eigenvalue of the larger sample, without eigenvectors
    const auto sample = static_cast<double>(sizes.s2);
    seconds += 4.0 / 3.0 * sample * sample * sample / input.ranks / rates.eigen_flops;
  }
  if (input.method == "stacur") seconds += 2 * static_cast<double>(sizes.rows) * order * order / rates.flops;
  return seconds;
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

// What the probe compares, at most.
struct ProbePlan {
  Index pairs = 0, objects = 0;
};

ProbePlan probe_plan(const PlanInput& input) {
  if (input.probe_rows > 0 || !input.measures_error) return {};
  const std::optional<Index> fixed = input.pairs > 0 ? std::optional(input.pairs) : std::nullopt;
  return {fixed.value_or(most_probe_pairs(input.objects)), most_probe_objects(input.objects, fixed)};
}

// The probe's lists of entries, and beside them either the objects of a piece of it or the factor rows of a batch.
Stage probe_stage(const PlanInput& input, const Sizes& sizes, const ProbePlan& probe) {
  using namespace entry_limits;
  constexpr Index list_bytes = 170;  // numbers, owners, order, exact and approximate values of an entry, sent and kept
  constexpr Index pair_bytes = 120;  // numbers, values, weight and shares, of all pairs on every rank
  const Index own_pairs = probe.pairs / input.ranks + 1;
  const Index entries = std::min(std::max(own_pairs, probe.objects / input.ranks + 1), compared_entries);
  const Index drawn = pair_bytes * (probe.pairs + probe.objects);
  const Index one_object = std::max<Index>(object_bytes(input), 8);
  const Index piece = std::min(own_pairs, gathered_pairs(one_object));
  const Index objects = 2 * 2 * piece * one_object;

  const Index width = std::max<Index>({1, sizes.left, sizes.right});
  const Index batch = std::min(entries, std::max<Index>(1, batch_bytes / (width * 8)));
  const Index joining = width * width * 8;
  const bool whole = joining <= replicated_bytes;
  const Index fetched = std::min(entries, std::max<Index>(1, fetched_bytes / (width * 8)));
  const Index right = fetched * width * input.number_bytes + 2 * row_message_bytes;
  const Index products = batch * (width + (whole ? width : std::min(width, panel_columns))) * 8;
  const Index factors = right + products;
  Stage stage{"probe", {{"probe: lists of entries", entries * list_bytes + drawn}}};
  if (objects > factors + 2 * joining) {
    stage.items.push_back({"probe: objects of a piece", objects});
  } else {
    stage.items.push_back({"probe: factor rows of a batch", factors});
    stage.items.push_back({"probe: joining matrix, replicated", 2 * (whole ? joining : width * panel_columns * 8)});
  }
  return stage;
}

// Of the factors. Of what similarity.reuse has nothing is evaluated: the run's own columns and second sample are taken
// to be among it, but for a sample that is drawn without regard to others, of which nothing is.
Index evaluated_entries(const PlanInput& input, const Sizes& sizes) {
  const Index objects = input.read_columns - input.read_random;
  const Index read = input.method == "wme" ? input.read_random : objects;
  const Index apart = objects == input.objects ? 0 : sizes.apart;
  const Index columns = std::max<Index>(0, sizes.columns - sizes.apart - read) + apart;
  if (input.method != "sms-nystrom") return input.objects * columns;
  const bool known = objects >= sizes.s2 || input.read_sample >= sizes.s2 - sizes.s1;
  const Index beyond = known ? 0 : sizes.s2 - sizes.s1;
  return input.objects * columns + beyond * beyond;
}

// What is read is there whole, and the run's own columns are taken to be among those of their kind: random documents of
// wme, or objects of the data.
void add_distances(const PlanInput& input, const Sizes& sizes, std::vector<PlanItem>& resident) {
  const Index read_objects = input.read_columns - input.read_random;
  const Index apart = read_objects == input.objects ? 0 : sizes.apart;
  const Index columns = input.method == "wme"
                            ? std::max(sizes.columns, input.read_random) + read_objects
                            : std::max(sizes.columns - sizes.apart, read_objects) + apart + input.read_random;
  resident.push_back({"distances", block_bytes(input, sizes.rows, columns)});
  const Index sample = std::max(input.read_sample, input.method == "sms-nystrom" ? sizes.s2 : 0);
  if (sample == 0) return;
  resident.push_back({"distances of a second sample", block_bytes(input, sample / input.ranks + 1, sample)});
  if (input.read_sample == 0 && input.read_columns == 0) return;
  resident.push_back(
      {"distances of the sample that is read, on their way", 2 * block_bytes(input, sample / input.ranks + 1, sample)});
}

// Rows of K and of its approximation that are compared at once.
Stage rows_stage(const PlanInput& input, const Sizes& sizes) {
  if (input.by_source) {
    const Index round = std::min(compared_source_rows(input.objects, source_batch(input), input.ranks, input.threads),
                                 input.probe_rows);
    const Index own = (round + input.ranks - 1) / input.ranks;
    return {"evaluation",
            {{"rows of the matrix and of its approximation", own * input.objects * 8 + round * sizes.rows * 8},
             {"rows on their way", travelling_bytes(input, sizes.rows)}}};
  }
  const Index row_bytes = std::max<Index>(1, sizes.rows) * (input.number_bytes + 8);
  const RowPartition partition(input.objects, input.ranks);
  const Index rows = std::min(compared_rows(partition, input.number_bytes), input.probe_rows);
  return {"evaluation", {{"rows of the matrix and of its approximation", rows * row_bytes}}};
}

// A slab of columns source by source, and two bands of it on their way to the rows (evaluate_source_columns).
Stage source_stage(const PlanInput& input, const Sizes& sizes) {
  const SourceColumnBands bands =
      source_column_bands(input.objects, sizes.columns, source_batch(input), input.number_bytes);
  const Index band = std::min(bands.band, sizes.columns);
  const Index one_band = block_bytes(input, input.objects, band);
  const Index all = (std::min(bands.slab, sizes.columns) + band - 1) / band;
  const Index own = (all + input.ranks - 1) / input.ranks;
  // Sources come in double precision, on each thread a band.
  const Index widened = input.number_bytes == 8 ? 0 : input.threads * input.objects * band * 8;
  return {"similarities", {{"columns by source, on their way to the rows", (own + 2) * one_band + widened}}};
}

// What lives beside data and factors, stage by stage.
std::vector<Stage> stages(const PlanInput& input, const Sizes& sizes, const ProbePlan& probe) {
  std::vector<Stage> all;
  if (input.by_source) all.push_back(source_stage(input, sizes));
  if (input.document_bytes > 0) {  // held twice while they go to their owners, when there is no factor yet
    all.push_back(
        {"read",
         {{"documents on their way to their owners, beyond the factor",
           std::max<Index>(0, sizes.rows * input.document_bytes - block_bytes(input, sizes.rows, sizes.left))}}});
  }
  if (input.selection == "rpcholesky") {
    all.push_back({"landmarks", {{"factor of the pivoted Cholesky", block_bytes(input, sizes.rows, sizes.s1)}}});
  }
  all.push_back({"joining", {{"joining step", joining_bytes(input, sizes)}}});
  if (input.method == "auto") {
    all.back().items.push_back({"columns of a candidate", block_bytes(input, sizes.rows, sizes.s1)});
  }
  if (input.embedding && !expects_cholesky(input)) {
    all.push_back({"embedding",
                   {{"embedding, before it replaces the columns", block_bytes(input, sizes.rows, sizes.left)},
                    {"map, replicated", replicated_bytes_of_product(sizes.left, sizes.left)},
                    {"joining matrix", joining_bytes(input, sizes) / 6}}});
  }
  if (input.probe_rows > 0) {
    all.push_back(rows_stage(input, sizes));
  } else if (input.measures_error) {
    all.push_back(probe_stage(input, sizes, probe));
  }
  return all;
}

}  // namespace

bool expects_cholesky(const PlanInput& input) {
  return input.definite && (input.method == "nystrom" || input.method == "sms-nystrom");
}

Plan plan_memory(const PlanInput& input) {
  if (input.method == "biharmonic") return plan_biharmonic(input);
  const Sizes sizes = sizes_of(input);
  Plan plan;
  plan.s2 = sizes.s2;
  const Index n = input.objects;
  plan.evaluations = input.preparation + evaluated_entries(input, sizes) * input.evaluations_per_entry;
  if (input.method == "auto") {  // the block of SMS-Nystrom's second sample, and the validation probe
    const auto size = static_cast<double>(n), budget = size * static_cast<double>(sizes.s1);
    const auto shifted = static_cast<Index>(0.5 * (std::sqrt(size * size + 4 * budget) - size));
    const bool known = input.read_sample >= shifted || input.read_columns - input.read_random >= 2 * shifted;
    plan.evaluations +=
        input.evaluations_per_entry *
        ((known ? 0 : shifted * shifted) +
         (input.by_source ? std::min(n, most_validation_columns) * n
                          : default_probe_pairs(n * sizes.s1) + std::min(n, validation_diagonal_entries)));
  }
  if (!input.by_source && (input.selection == "rpcholesky" || input.selection == "farthest")) plan.evaluations += n;
  const ProbePlan probe = probe_plan(input);
  plan.probe_evaluations = input.evaluations_per_entry * (input.probe_rows * n + probe.pairs + probe.objects);
  plan.result_bytes = block_bytes(input, n, sizes.left + sizes.right) +
                      static_cast<Index>(sizes.joining * sizes.joining * 8 * (input.embedding ? 1 : 2)) +
                      sizes.columns * object_bytes(input);

  constexpr Index label_bytes = 32;  // a short std::string
  std::vector<PlanItem> resident = {
      {"program and libraries", input.baseline_bytes},
      {"data", sizes.rows * object_bytes(input) + (input.labels ? sizes.rows * label_bytes : 0)},
      {"landmarks, replicated", sizes.columns * object_bytes(input)},
      {"left factor", block_bytes(input, sizes.rows, sizes.left)}};
  if (input.word_bytes > 0) resident.push_back({"word vectors, once per node", input.word_bytes});
  if (input.arcs > 0) {
    const Index length_bytes = input.weighted ? 8 : 0;
    resident.push_back({"graph, its own part", sizes.rows * 8 + input.arcs / input.ranks * (8 + length_bytes)});
    resident.push_back({"graph, once per node", n * 8 + input.arcs * (4 + length_bytes)});
  }
  if (input.keeps_distances) add_distances(input, sizes, resident);
  if (sizes.right > 0) resident.push_back({"right factor", block_bytes(input, sizes.rows, sizes.right)});
  Stage worst;
  for (const Stage& stage : stages(input, sizes, probe)) {
    if (total(stage.items) > total(worst.items)) worst = stage;
  }
  plan.peak_phase = worst.name;
  plan.items = std::move(resident);
  plan.items.insert(plan.items.end(), worst.items.begin(), worst.items.end());
  plan.peak_bytes = total(plan.items);
  return plan;
}

void limit_estimate(std::vector<PlanPhase>& phases) {
  double before = 0.0;
  for (const PlanPhase& phase : std::span(phases).first(phases.size() - 1)) before += phase.seconds;
  phases.back().seconds = std::min(phases.back().seconds, seconds_for_estimate(before));
}

std::vector<PlanPhase> plan_seconds(const PlanInput& input, const Plan& plan, const PlanRates& rates) {
  const Sizes sizes = sizes_of(input);
  const double ranks = input.ranks;
  const double data_bytes =
      static_cast<double>(input.objects * std::max<Index>(object_bytes(input), input.number_bytes));
  std::vector<PlanPhase> phases = {{"read", data_bytes / rates.read_bytes},
                                   {"similarities", static_cast<double>(plan.evaluations) / ranks / rates.evaluations},
                                   {"joining", joining_seconds(input, sizes, rates)}};
  if (input.embedding) {
    phases.back().seconds +=
        2 * static_cast<double>(sizes.rows) * static_cast<double>(sizes.left * sizes.left) / rates.flops;
  }
  const double factor_flops = 2 * static_cast<double>(sizes.left * std::max(sizes.right, sizes.left));
  const auto probed = static_cast<double>(plan.probe_evaluations) / ranks;
  // Rows of L J: of the objects for the diagonal, and those that pairs meet; each once however many pairs share it.
  const ProbePlan probe = probe_plan(input);
  const auto objects = static_cast<double>(input.probe_rows > 0 ? input.probe_rows : probe.objects) / ranks;
  const double met = objects * (1.0 - std::exp(-static_cast<double>(probe.pairs) / ranks / std::max(1.0, objects)));
  phases.push_back({"probe", probed / rates.pairs + (objects + met) * factor_flops / rates.flops});
  if (!input.fixed_probe) limit_estimate(phases);
  phases.push_back({"write", static_cast<double>(plan.result_bytes) / rates.write_bytes});
  return phases;
}

}  // namespace cairn::app
