#include "cairn/plan/plan_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "cairn/approximation/entry_limits.hpp"
#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/approximation/error/validation_columns.hpp"
#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/corpus/counting.hpp"
#include "cairn/data/corpus/word_set.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/plan/data_bytes.hpp"
#include "cairn/plan/near_plan.hpp"
#include "cairn/plan/staged_plan.hpp"
#include "cairn/similarity/source_columns.hpp"

namespace cairn {

ProbeSize probe_plan(const PlanInput& input) {
  if (input.estimate.rows > 0 || !input.estimate.measured) return {};
  const std::optional<Index> fixed = input.estimate.pairs > 0 ? std::optional(input.estimate.pairs) : std::nullopt;
  const bool square = input.data.right_objects == 0;
  return probe_size({input.data.objects, input.data.columns(), square, method_cost(input).left}, fixed,
                    input.estimate.share);
}

Index usual_pairs(const PlanInput& input) {
  constexpr Index usual = 16'384;
  const Index most = probe_plan(input).pairs;
  return input.estimate.fixed ? most : std::min(most, usual);
}

namespace {

// Sizes that a plan supports.

// Costs are products of two of the sizes checked here, and of small numbers. Local.
// @throws Error(resource) if an Index cannot count them
void require_countable(const PlanInput& input) {
  constexpr double most = 1e17;  // numbers; an Index counts to 9.2e18
  Index features = 0;
  for (const char* name : {"dimension", "features", "s2", "block"}) {
    if (input.method->has(name)) features = std::max(features, input.values.integer_or(name, 0));
  }
  const Index landmarks = input.method->needs.order ? 0 : input.landmarks;  // an order of all is a list
  const Index widest = std::max({landmarks, features, input.near, input.estimate.rows});
  const Index objects = std::max(input.data.objects, input.data.right_objects);
  // Factors, compared rows and dense matrices of their order; points, and the map from their coordinates to features.
  for (const auto& [rows, columns] :
       {std::pair(std::max(objects, widest), widest), std::pair(std::max(objects, features), input.data.dimension)}) {
    if (static_cast<double>(rows) * static_cast<double>(columns) <= most) continue;
    throw Error(
        ErrorKind::resource,
        fmt::format("a matrix of {} rows and {} columns has more than the {:g} numbers that a plan counts; take fewer "
                    "objects, landmarks or compared rows",
                    rows, columns, most));
  }
}

constexpr Index file_library_bytes = 13'000'000;  // HDF5 and what it loads with the first file: 9 to 13 MB

Index block_bytes(const PlanInput& input, Index rows, Index columns) { return rows * columns * input.value_bytes; }

// The same of factors, which may be columns of K as they come.
Index factor_bytes(const PlanInput& input, Index rows, Index columns) {
  const bool narrow = input.column_bytes > 0 && method_cost(input).whole_columns;
  return rows * columns * (narrow ? std::min(input.column_bytes, input.value_bytes) : input.value_bytes);
}

// Bytes of the left factor; 0 if its rows are not kept.
Index left_bytes(const PlanInput& input, Index rows) {
  const MethodCost cost = method_cost(input);
  return cost.left_stored ? factor_bytes(input, rows, cost.left) : 0;
}

// Rows of L that an estimate evaluates: all once, for their norms, then those of the entries that are compared; all
// anew with each batch of whole rows.
Index rows_evaluated_again(const PlanInput& input, Index pairs, Index diagonal) {
  if (method_cost(input).left_stored || !input.estimate.measured) return 0;
  const Index n = input.data.objects, rows = input.estimate.rows;
  if (rows == 0) return n + pairs + pairs / probe_run(0) + diagonal;
  const Index batch = compared_rows(RowPartition(n, input.ranks), input.value_bytes);
  return (rows + batch - 1) / batch * n + rows;
}

double core_seconds(const MethodCost& cost, const PlanRates& rates) {
  return cost.cholesky_flops / rates.cholesky_flops + cost.eigen_flops / rates.eigen_flops +
         cost.product_flops / rates.flops;
}

// The probe's lists of entries, together with either the objects of one of its pieces or the factor rows of a batch.
CostStage probe_stage(const PlanInput& input, const ProbeSize& probe) {
  using namespace entry_limits;
  constexpr Index list_bytes = 170;  // numbers, owners, order, exact and approximate values of an entry, sent and kept
  constexpr Index pair_bytes = 200;  // numbers, values, weight and shares, of all pairs on every rank
  const Index own_pairs = probe.pairs / input.ranks + 1;
  const Index entries = std::min(std::max(own_pairs, probe.diagonal / input.ranks + 1), compared_entries);
  const Index drawn = pair_bytes * (probe.pairs + probe.diagonal);
  const Index one_object = input.data.count_pairs > 0 ? gathered_word_bytes : std::max<Index>(object_bytes(input), 8);
  const Index piece = std::min(own_pairs, gathered_pairs(one_object));
  const Index objects = 2 * 2 * piece * one_object;

  const MethodCost cost = method_cost(input);
  const Index width = std::max<Index>({1, cost.left, cost.right});
  const Index batch = std::min(entries, std::max<Index>(1, batch_bytes / (width * 8)));
  const bool diagonal = input.method->diagonal_core && !input.method->needs.landmarks;  // one number per column
  const Index core_matrix = diagonal ? 0 : width * width * 8;
  const bool whole = core_matrix <= CoreLimits{}.replicated;
  const Index fetched = std::min(entries, std::max<Index>(1, fetched_bytes / (width * 8)));
  const Index right = fetched * width * input.value_bytes + 2 * row_message_bytes;
  const Index products = batch * (width + (whole ? width : std::min(width, panel_columns))) * 8;
  const Index factors = right + products;
  CostStage stage{"probe", {{"probe: lists of entries", entries * list_bytes + drawn}}};
  const Index kept = whole ? core_matrix : 0;  // from the first comparison on
  if (objects + kept > factors + 2 * core_matrix) {
    stage.own.push_back({"probe: objects of a piece", objects});
    if (kept > 0) stage.own.push_back({"probe: core matrix, replicated", kept});
  } else {
    stage.own.push_back({"probe: factor rows of a batch", factors});
    if (!diagonal) {
      const Index in_parts = std::max(2 * width * panel_columns * 8, input.ranks > 1 ? 4 * CoreLimits{}.on_grid : 0);
      stage.own.push_back({"probe: core matrix, replicated", whole ? 2 * core_matrix : in_parts});
    }
  }
  return stage;
}

// Entries evaluated for the factors, without those in similarity.reuse. The run's own columns and second sample are
// assumed to be in it, except a sample drawn independently of others, of which nothing is.
Index evaluated_entries(const PlanInput& input) {
  const MethodCost cost = method_cost(input);
  if (!cost.left_stored) return cost.block_entries;
  const Index objects = input.distances.columns - input.distances.random;
  const Index read = cost.random_objects ? input.distances.random : objects;
  const Index apart = objects == input.data.objects ? 0 : cost.apart;
  const Index columns = std::max<Index>(0, cost.columns - cost.apart - read) + apart;
  const bool known = objects >= cost.block_sample || input.distances.sample >= cost.block;
  const Index block = cost.block_entries > 0 && !input.distances.kept ? cost.block_entries : cost.block * cost.block;
  return input.data.objects * columns + (known ? 0 : block) + cost.others;
}

// Everything that is read is in memory, and the run's own columns are assumed to be among those of their kind: random
// documents of wme, or objects of the data.
Index kept_distance_columns(const PlanInput& input) {
  if (!input.distances.kept) return 0;
  const MethodCost cost = method_cost(input);
  const Index read_objects = input.distances.columns - input.distances.random;
  const Index apart = read_objects == input.data.objects ? 0 : cost.apart;
  return cost.random_objects ? std::max(cost.columns, input.distances.random) + read_objects
                             : std::max(cost.columns - cost.apart, read_objects) + apart + input.distances.random;
}

void add_distances(const PlanInput& input, std::vector<CostItem>& resident) {
  const MethodCost cost = method_cost(input);
  resident.push_back({"distances", block_bytes(input, own_rows(input), kept_distance_columns(input))});
  const Index sample = std::max(input.distances.sample, cost.block_sample);
  if (sample == 0) return;
  resident.push_back({"distances of a second sample", block_bytes(input, sample / input.ranks + 1, sample)});
  if (input.distances.sample == 0 && input.distances.columns == 0) return;
  resident.push_back(
      {"distances of the sample that is read, on their way", 2 * block_bytes(input, sample / input.ranks + 1, sample)});
}

// Rows of K and of its approximation that are compared at the same time.
CostStage rows_stage(const PlanInput& input) {
  const Index largest = own_rows(input);
  if (input.by_source()) {
    const Index round = std::min(compared_source_rows(input.data.objects, input.rows.batch, input.ranks, input.threads),
                                 input.estimate.rows);
    const Index own = (round + input.ranks - 1) / input.ranks;
    return {"evaluation",
            {{"rows of the matrix and of its approximation", own * input.data.objects * 8 + round * largest * 8},
             {"rows on their way", 2 * std::min(travelling_row_bytes, round * input.data.objects * 8)}}};
  }
  const Index row_bytes = std::max<Index>(1, largest) * (input.value_bytes + 8);
  const RowPartition partition(input.data.objects, input.ranks);
  const Index rows = std::min(compared_rows(partition, input.value_bytes), input.estimate.rows);
  return {"evaluation", {{"rows of the matrix and of its approximation", rows * row_bytes}}};
}

// A slab of columns, source by source, in the number type of the values (evaluate_source_columns).
CostStage source_stage(const PlanInput& input) {
  const Index columns = method_cost(input).columns, n = input.data.objects;
  const auto [bands, bytes] = source_columns_plan(input);
  const Index band = std::max<Index>(1, std::min(bands.band, columns));  // a method may take no columns
  const Index all = (std::min(bands.slab, columns) + band - 1) / band * bands.parts;
  const Index own = (all + input.ranks - 1) / input.ranks;
  // Values given as doubles are computed source by source, one band per thread, and narrowed in single precision.
  const Index copies = bytes < input.value_bytes ? 0 : input.value_bytes == 8 ? 1 : 2;
  const Index searches = input.rows.search_bytes + (copies == 0 ? 0 : band * input.rows.search_row_bytes);
  return {"similarities",
          {{"columns of single sources, on their way to the rows",
            own * ((n + bands.parts - 1) / bands.parts) * band * bytes + copies * input.threads * n * band * 8 +
                2 * delivered_column_bytes},
           {"searches, one a thread", input.threads * searches}}};
}

// Entries of C in the rows of landmark words: the frequent ones, or any.
Index landmark_entries(const PlanInput& input) {
  const Index m = method_cost(input).columns, pairs = input.data.count_pairs;
  if (pairs == 0 || m == 0) return 0;
  const auto share = static_cast<double>(m) / static_cast<double>(input.data.objects);
  return std::max(std::min(pairs, m * (m + 1) / 2), static_cast<Index>(share * static_cast<double>(pairs)));
}

// Bytes on every rank.
Index landmark_bytes(const PlanInput& input) {
  return method_cost(input).columns * object_bytes(input) + landmark_entries(input) * pair_bytes_of_counts;
}

// Texts together with the storage in which their co-occurrences are summed. The factor comes later.
CostStage count_stage(const PlanInput& input) {
  const DataSize& data = input.data;
  CostStage stage{"count", counting_cost({.words = data.objects,
                                          .tokens = std::max(data.tokens / input.ranks, data.text_tokens),
                                          .texts = data.texts / input.ranks,
                                          .longest_text = data.text_tokens,
                                          .compared_places = data.compared_places,
                                          .pairs = data.count_pairs,
                                          .own_pairs = own_pairs(input),
                                          .ranks = input.ranks})};
  Index later = left_bytes(input, own_rows(input)) + landmark_bytes(input);
  for (CostItem& item : stage.own) {
    const Index less = std::min(item.bytes, later);
    item.bytes -= less;
    later -= less;
  }
  stage.own.front().name += ", beyond the factor";
  return stage;
}

// Rows of C of landmarks, sent to every rank as numbers: by a single rank, if the most frequent words are landmarks.
CostStage landmark_stage(const PlanInput& input) {
  constexpr Index bytes_of_an_entry = 12;  // other and count, on both sides
  return {"landmarks",
          {{"rows of landmarks, on their way", (input.ranks + 1) * landmark_entries(input) * bytes_of_an_entry}}};
}

// Memory for the setup of a single-source similarity, before the factor exists.
CostStage similarity_stage(const PlanInput& input) {
  const Index making = total(input.rows.making) + total(input.rows.making_once);
  const Index later = factor_bytes(input, own_rows(input), method_cost(input).left);
  return {"similarity setup",
          {{"what the similarity is made of, beyond the factor", std::max<Index>(0, making - later)}}};
}

// Memory beside data and factors, stage by stage.
std::vector<CostStage> stages(const PlanInput& input, const ProbeSize& probe) {
  const MethodCost cost = method_cost(input);
  const Index rows = own_rows(input);
  std::vector<CostStage> all;
  if (input.by_source()) {
    all.push_back(similarity_stage(input));
    all.insert(all.end(), input.rows.checks.begin(), input.rows.checks.end());
    all.push_back(source_stage(input));
  }
  if (input.data.tokens > 0) {
    all.push_back(count_stage(input));
    all.push_back(landmark_stage(input));
  }
  // Held twice while they are read, before the factor exists.
  const bool documents = input.data.document_bytes > 0;
  if (documents || (input.data.dimension > 0 && !input.data.surface && input.value_bytes == 4)) {
    const Index bytes = rows * (documents ? input.data.document_bytes : 2 * point_bytes(input));
    all.push_back({"read",
                   {{documents ? "documents on their way to their owners, beyond the factor"
                               : "points in double precision, beyond the factor",
                     std::max<Index>(0, bytes - left_bytes(input, rows))}}});
  }
  if (input.selection != nullptr && input.selection->work_bytes != nullptr) {
    const Index bytes = input.selection->work_bytes(rows, input.landmarks, input.value_bytes);
    all.push_back({"landmarks", {{"selection of landmarks", bytes}}});
  }
  all.push_back({"joining", {{"core matrix workspace", cost.core_bytes}}});
  if (cost.copies_columns) {
    all.back().own.push_back({"columns of a candidate", factor_bytes(input, rows, cost.left)});
  }
  if (cost.embedding) {  // whatever the Cholesky factorization finds
    all.push_back({"embedding",
                   {{"embedding, before it replaces the columns", block_bytes(input, rows, cost.left)},
                    {"map, replicated", replicated_bytes_of_product(cost.left, cost.left)},
                    {"core matrix", cost.core_bytes / 6}}});
  }
  if (input.near > 0) all.push_back(near_stage(input));
  all.push_back({"write", {{"the library of the file", file_library_bytes}}});
  if (input.distances.kept && cost.columns > cost.left) {  // columns of two samples
    const Index bytes = block_bytes(input, rows, kept_distance_columns(input));
    all.back().own.push_back({"distances, put together", bytes});
  }
  if (input.estimate.rows > 0) {
    all.push_back(rows_stage(input));
  } else if (input.estimate.measured) {
    all.push_back(probe_stage(input, probe));
  }
  return all;
}

}  // namespace

SourceColumnsPlan source_columns_plan(const PlanInput& input) {
  const Index bytes = std::min(std::max(input.column_bytes, input.rows.value_bytes), input.value_bytes);
  const bool in_parts = input.column_bytes == input.rows.value_bytes && bytes < input.value_bytes;  // by a hierarchy
  return {
      source_column_bands(input.data.objects, method_cost(input).columns, input.rows.batch, bytes, in_parts),
      bytes,
  };
}

Index own_rows(const PlanInput& input) {
  Index rows = 0;
  const RowPartition partition(input.data.objects, input.ranks);
  for (int rank = 0; rank < input.ranks; ++rank) rows = std::max(rows, partition.range(rank).size());
  return rows;
}

CostInput cost_input(const PlanInput& input) {
  return {.data = input.data,
          .landmarks = input.landmarks,
          .ranks = input.ranks,
          .threads = input.threads,
          .value_bytes = input.value_bytes,
          .definite = input.similarity.definite,
          .by_source = input.by_source(),
          .rows = input.rows,
          .operators = input.operators,
          .known_entries = input.known_entries,
          .hanging = input.hanging,
          .deflated_share = input.deflated_share};
}

MethodCost method_cost(const PlanInput& input) { return input.method->cost(input.values, cost_input(input)); }

Plan plan_memory(const PlanInput& input) {
  require_countable(input);
  if (input.method->staged_cost != nullptr) return plan_stages(input);
  const MethodCost cost = method_cost(input);
  for (const DenseSize& matrix : cost.dense) require_countable(matrix, input.ranks);
  const Index rows = own_rows(input);
  const Index right_rows = (input.data.right_objects + input.ranks - 1) / input.ranks;
  Plan plan;
  const Index n = input.data.objects;
  plan.evaluations = input.preparation + evaluated_entries(input) * input.similarity.evaluations_per_entry;
  if (!input.by_source() && input.selection != nullptr && input.selection->evaluates)
    plan.evaluations += n;  // diagonal
  if (input.near > 0) plan.evaluations += near_evaluations(input);
  const ProbeSize probe = probe_plan(input);
  plan.probe_evaluations =
      input.similarity.evaluations_per_entry * (input.estimate.rows * n + probe.pairs + probe.diagonal +
                                                rows_evaluated_again(input, probe.pairs, probe.diagonal) * cost.left);
  const MethodNeeds& needs = input.method->needs;  // others keep no landmarks in the file
  const Index kept = needs.landmarks || needs.random_documents ? cost.columns : 0;
  plan.result_bytes = left_bytes(input, n) + factor_bytes(input, input.data.columns(), cost.right) +
                      block_bytes(input, n, kept_distance_columns(input)) +
                      cost.core_matrix * std::max(cost.core_matrix, cost.right) * 8 + kept * object_bytes(input) +
                      input.data.count_pairs * pair_bytes_of_counts + input.kept_bytes +
                      (input.near > 0 ? near_file_bytes(input) : 0);

  std::vector<CostItem> resident = {{"program and libraries", input.baseline_bytes},
                                    {"data", object_part_bytes(input)},
                                    {"landmarks, replicated", landmark_bytes(input)},
                                    {"left factor", left_bytes(input, rows)}};
  if (cost.library_bytes > 0) resident.push_back({method_libraries, cost.library_bytes});
  if (input.data.word_bytes > 0) resident.push_back({"word vectors, once per node", input.data.word_bytes});
  if (input.data.arcs > 0) {
    resident.push_back({"graph, its own part", graph_part_bytes(input)});
    resident.push_back({"graph, once per node", whole_graph_bytes(input)});
  }
  if (input.data.count_pairs > 0) {
    resident.push_back({"co-occurrences, at most", own_pairs(input) * pair_bytes_of_counts});
    resident.push_back({"words", vocabulary_bytes(input)});
  }
  resident.insert(resident.end(), input.rows.shared.begin(), input.rows.shared.end());
  if (input.distances.kept) add_distances(input, resident);
  if (input.kept_bytes > 0) {
    resident.push_back({"hierarchy for the file, its own part", input.kept_bytes / input.ranks});
  }
  if (input.near > 0) resident.push_back({"near entries", near_bytes(input)});
  if (cost.right > 0)
    resident.push_back({"right factor", factor_bytes(input, right_rows > 0 ? right_rows : rows, cost.right)});
  CostStage worst;
  for (const CostStage& stage : stages(input, probe)) {
    plan.stages.push_back({stage.name, total(resident) + total(stage.own) + total(stage.shared)});
    if (total(stage.own) + total(stage.shared) > total(worst.own) + total(worst.shared)) worst = stage;
  }
  plan.peak_phase = worst.name;
  plan.items = std::move(resident);
  plan.items.insert(plan.items.end(), worst.shared.begin(), worst.shared.end());
  plan.items.insert(plan.items.end(), worst.own.begin(), worst.own.end());
  plan.peak_bytes = total(plan.items);
  plan.shared_bytes = input.data.word_bytes + (input.data.arcs > 0 ? whole_graph_bytes(input) : 0) +
                      total(input.rows.shared) + total(worst.shared);
  return plan;
}

void limit_estimate(std::vector<PlanPhase>& phases, const PlannedEstimate& estimate, double first) {
  if (estimate.fixed || !estimate.seconds) return;
  phases.back().seconds = std::min(phases.back().seconds, std::max(first, *estimate.seconds));
}

namespace {

// Evaluations, and rows of L J: of entries on the diagonal, of runs of pairs, or of whole rows.
PlanPhase probe_phase(const PlanInput& input, const PlanRates& rates, double factor_flops) {
  const ProbeSize probe = probe_plan(input);
  const Index pairs = usual_pairs(input);
  const double again =
      static_cast<double>(input.similarity.evaluations_per_entry * rows_evaluated_again(input, pairs, probe.diagonal)) *
      static_cast<double>(method_cost(input).left) / rates.evaluations;
  const auto seconds = [&](Index entries, Index rows) {
    const auto evaluations = static_cast<double>(input.similarity.evaluations_per_entry * entries);
    return (again + evaluations / rates.pairs + static_cast<double>(rows) * factor_flops / rates.flops) / input.ranks;
  };
  if (input.estimate.rows > 0) {
    return {"probe", seconds(input.estimate.rows * input.data.objects, input.estimate.rows)};
  }
  const auto of_pairs = [&](Index count) {
    return seconds(count + probe.diagonal, probe.diagonal + count / probe_run(method_cost(input).left));
  };
  std::vector<PlanPhase> phase = {{"probe", of_pairs(pairs)}};
  limit_estimate(phase, input.estimate, of_pairs(probe.first - probe.diagonal));
  return phase.front();
}

}  // namespace

std::vector<PlanPhase> plan_seconds(const PlanInput& input, const Plan& plan, const PlanRates& rates) {
  const MethodCost cost = method_cost(input);
  const double ranks = input.ranks;
  const double data_bytes =
      static_cast<double>(input.data.objects * std::max<Index>(object_bytes(input), input.value_bytes));
  const auto of_tokens = [&](double rate) {
    return input.data.tokens > 0 && rate > 0 ? static_cast<double>(input.data.tokens) / ranks / rate : 0.0;
  };
  const Index in_columns = plan.evaluations - (input.near > 0 ? near_evaluations(input) : 0);
  const double reading =
      rates.read_seconds > 0 ? rates.read_seconds : data_bytes / rates.read_bytes + of_tokens(rates.generated_tokens);
  std::vector<PlanPhase> phases = {
      {"read", reading},
      {"count", of_tokens(rates.counted_tokens)},
      {"similarities",
       static_cast<double>(in_columns) / ranks / rates.evaluations +
           static_cast<double>(left_bytes(input, own_rows(input)) + factor_bytes(input, own_rows(input), cost.right)) /
               rates.fresh_bytes},
      {"joining", core_seconds(cost, rates)}};
  if (input.data.tokens == 0) phases.erase(phases.begin() + 1);
  const bool factors = input.selection != nullptr && input.selection->factors;
  const double product =
      2 * static_cast<double>(own_rows(input)) * static_cast<double>(cost.left * cost.left) / rates.flops;
  const bool given = factors && input.method->takes_factor && input.value_bytes == 8 && cost.second == 0;
  if (cost.embedding && !given) phases.back().seconds += product;
  if (factors) phases.insert(phases.begin() + 1, {"landmarks", product / 2});
  if (input.near > 0) {
    phases.push_back({"near entries", near_seconds(input, std::max(cost.left, cost.right), rates)});
    if (input.checks_near) phases.push_back({"near check", near_check_seconds(input, rates)});
  }
  const double factor_flops = 2 * static_cast<double>(cost.left * std::max(cost.right, cost.left));
  phases.push_back(probe_phase(input, rates, factor_flops));
  phases.push_back({"write", static_cast<double>(plan.result_bytes) / rates.write_bytes});
  return phases;
}

}  // namespace cairn
