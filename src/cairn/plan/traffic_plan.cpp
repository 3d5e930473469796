#include "cairn/plan/traffic_plan.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/approximation/entry_limits.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/base/schedule/schedule.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/plan/data_bytes.hpp"

namespace cairn {

namespace {

// What comes from other ranks of bytes that all ranks have parts of.
Index from_others(const PlanInput& input, Index bytes) { return bytes - bytes / input.ranks; }

// Messages that a rank sends in one exchange in which it has `items` to send: at most one to each other rank.
Index messages_of(const PlanInput& input, Index items) {
  return std::min<Index>(input.ranks - 1, std::max<Index>(items, 1));
}

Traffic landmarks_traffic(const PlanInput& input, const MethodCost& cost) {
  return {.collectives = 8,
          .collective_bytes = from_others(input, cost.columns > 0 ? input.landmarks * object_bytes(input) : 0)};
}

// A loop over tiles ends by asking other ranks once for tiles that they have left. Those that move are not known
// before.
Traffic tiles_traffic(const PlanInput& input, const MethodCost& cost) {
  const Index loops = cost.block > 0 || cost.second > cost.left ? 2 : 1;
  return {.collectives = 7 * loops + cost.block / 2,  // a block is evaluated by strips
          .collective_bytes = loops * 28 * (input.ranks - 1),
          .messages = 2 * loops * std::min<Index>(input.ranks - 1, most_asked),
          .message_bytes = 0};
}

// Columns of single sources are dealt in bands, and each band is sent to the owners of its rows, some MB at a time.
Traffic source_columns_traffic(const PlanInput& input, const MethodCost& cost) {
  if (cost.columns == 0) return {};
  constexpr Index calls_of_slab = 8, calls_of_round = 2;
  const auto over = [](Index whole, Index part) { return (whole + part - 1) / part; };
  const auto [bands, bytes] = source_columns_plan(input);
  const Index ranks = input.ranks, n = input.data.objects;
  const Index slab = std::min(bands.slab, cost.columns), slabs = over(cost.columns, slab);
  const Index together = std::max<Index>(delivered_column_bytes / (slab * bytes), 1);  // rows of a rank
  const Index rounds = bands.parts > 1 ? over(n, together * ranks) : over(own_rows(input), together);
  const Index pieces = over(slab, bands.band) * bands.parts;
  const Index sent = over(pieces, ranks) * std::min(bands.band, slab) * over(n, bands.parts);
  return {.collectives = slabs * (calls_of_slab + calls_of_round * rounds),
          .collective_bytes = slabs * (28 + 8 * rounds) * (ranks - 1),
          .messages = slabs * (rounds * (ranks - 1) + 2 * std::min<Index>(ranks - 1, most_asked)),
          .message_bytes = slabs * from_others(input, std::max(sent, own_rows(input) * slab) * bytes)};
}

// Whole rows of K come from the ranks that compute them to the owners of the vertices, beside columns of K~.
Traffic rows_traffic(const PlanInput& input, const MethodCost& cost) {
  constexpr Index calls = 12, calls_of_look = 10, calls_of_round = 15, calls_of_part = 3, first = 64;
  const Index n = input.data.objects, rows = input.estimate.rows, ranks = input.ranks;
  const Index bytes = input.column_bytes > 0 ? input.column_bytes : static_cast<Index>(sizeof(double));
  const Index at_once = std::min(rows, compared_source_rows(n, input.rows.batch, input.ranks, input.threads));
  Index looks = 1;
  for (Index compared = first; !input.estimate.fixed && compared < rows; compared *= 2) ++looks;
  const Index rounds = std::max(looks, (rows + at_once - 1) / at_once);
  const Index together = std::max<Index>(travelling_row_bytes / (at_once * bytes), 1);  // vertices of a rank
  const Index parts = rounds * ((own_rows(input) + together - 1) / together);
  const Index core = cost.core_matrix * std::max(cost.core_matrix, cost.right) * 8;
  return {.collectives = calls + calls_of_look * looks + calls_of_round * rounds + calls_of_part * parts,
          .collective_bytes = from_others(input, core + rows * (cost.left * 8 + 40)),
          .messages = parts * (ranks - 1),
          .message_bytes = from_others(input, (rows + ranks - 1) / ranks * n * bytes)};
}

// One rank decomposes a small matrix, unless a Cholesky factor suffices.
bool by_one_rank(const MethodCost& cost) { return cost.eigen_flops > 0 && cost.core_matrix <= serial_eigen_rows; }

// The core matrix is collected from the rows of columns, which send places with their values.
Traffic core_traffic(const PlanInput& input, const MethodCost& cost) {
  const Index order = cost.core_matrix, bytes = order * std::max(order, cost.right) * 8;
  return {.collectives = cost.block > 0 ? 50 : 25,
          .collective_bytes = cost.collected_bytes,
          .messages = 2 * messages_of(input, order * order / input.ranks),
          .message_bytes = (by_one_rank(cost) ? bytes : 0) + 3 * from_others(input, bytes) / input.ranks};
}

// J comes to all ranks once, or where it is large in each call that compares pairs: in panels, or as a product with
// rows of L where it lies.
Index core_bytes_of_probe(const PlanInput& input, const MethodCost& cost, Index pairs, Index calls) {
  const Index rows = cost.left, columns = cost.right > 0 ? cost.right : cost.left, core = rows * columns * 8;
  if (cost.embedding) return 0;
  const entry_limits::CoreLimits limits;
  if (core <= limits.replicated) return from_others(input, core);
  const Index products = pairs / probe_run(rows) / calls;
  if (!limits.grid_pays(rows, columns, products, input.ranks)) return calls * from_others(input, core);
  const Index once = core + products * (rows + columns) * 8;
  return static_cast<Index>(static_cast<double>(calls) * static_cast<double>(once) / std::sqrt(input.ranks));
}

// Each look at the pairs doubles their number, from the first ones on, and draws from three parts; for each, rows of R
// come to the owners of entries, and the compared entries to all.
Traffic probe_traffic(const PlanInput& input, const MethodCost& cost) {
  constexpr Index first = 4096, calls_of_look = 125, exchanges_of_look = 25, parts = 3, entry_bytes = 16,
                  object_bytes = 52;
  const ProbeSize probe = probe_plan(input);
  const Index pairs = usual_pairs(input), right = cost.right > 0 ? cost.right : cost.left;
  Index looks = 1;
  for (Index compared = first; !input.estimate.fixed && 2 * compared <= pairs + 2 * looks * 8; compared *= 2) ++looks;
  const Index core = core_bytes_of_probe(input, cost, pairs, parts * looks + 1);
  // Rows of L that are not held are evaluated on all ranks, which get the objects.
  const Index objects = cost.left_stored ? 0 : 2 * (pairs + probe.diagonal) * cairn::object_bytes(input);
  return {.collectives = 35 + calls_of_look * looks,
          .collective_bytes = core + from_others(input, objects + entry_bytes * pairs + object_bytes * probe.diagonal),
          .messages = exchanges_of_look * looks * messages_of(input, pairs / parts / looks / input.ranks),
          .message_bytes = from_others(input, pairs * right * input.value_bytes) / input.ranks};
}

}  // namespace

std::vector<PhaseTraffic> plan_traffic(const PlanInput& input) {
  if (input.ranks == 1 || input.method->staged_cost != nullptr) return {};
  const MethodCost cost = method_cost(input);
  std::vector<PhaseTraffic> phases = {
      {"landmarks", landmarks_traffic(input, cost)},
      {"similarities", input.by_source() ? source_columns_traffic(input, cost) : tiles_traffic(input, cost)},
      {"joining", core_traffic(input, cost)}};
  if (input.estimate.measured && input.estimate.rows == 0) phases.push_back({"probe", probe_traffic(input, cost)});
  if (input.estimate.measured && input.estimate.rows > 0 && input.by_source()) {
    phases.push_back({"evaluation", rows_traffic(input, cost)});
  }
  phases.push_back({"write", {.collectives = 26, .messages = 2}});
  return phases;
}

Traffic scalapack_traffic(const PlanInput& input) {
  constexpr Index block = 64, products = 4, sums_of_column = 4;
  const MethodCost cost = method_cost(input);
  if (input.ranks == 1 || by_one_rank(cost)) return {};
  const Index order = cost.core_matrix;
  const Index form = cost.eigen_flops > 0 ? sums_of_column * order : 0;
  return {.collectives = products * 2 * (order / block + 1) + form,
          .collective_bytes =
              static_cast<Index>(static_cast<double>(products * order * order * 8) / std::sqrt(input.ranks))};
}

namespace {

// Seconds of ScaLAPACK's messages, less those that are part of `measured_seconds`: core matrices are measured on ranks
// that send each other messages, too.
double core_message_seconds(const PlanInput& input, double measured_seconds, const NodeLayout& layout,
                            const MeasuredOn& on) {
  constexpr double least_computed = 0.1;
  PlanInput then = input;
  then.ranks = on.layout.ranks;
  const double ratio = static_cast<double>(on.layout.ranks) / input.ranks;
  const double included = ratio * traffic_seconds(scalapack_traffic(then), on.layout, on.links);
  return traffic_seconds(scalapack_traffic(input), layout, on.links) -
         std::min(included, (1 - least_computed) * measured_seconds);
}

}  // namespace

std::vector<PlanPhase> with_messages(std::vector<PlanPhase> phases, const PlanInput& input, const NodeLayout& layout,
                                     const MeasuredOn& on) {
  const auto joining = std::ranges::find(phases, "joining", &PlanPhase::name);
  if (joining != phases.end()) joining->seconds += core_message_seconds(input, joining->seconds, layout, on);
  for (const PhaseTraffic& moved : plan_traffic(input)) {
    const double seconds = traffic_seconds(moved.traffic, layout, on.links);
    auto phase = std::ranges::find(phases, moved.phase, &PlanPhase::name);
    if (phase == phases.end())
      phase = phases.insert(std::ranges::find(phases, "similarities", &PlanPhase::name), {moved.phase, 0});
    phase->seconds += seconds;
  }
  return phases;
}

double total_seconds(const std::vector<PlanPhase>& phases) {
  double total = 0;
  for (const PlanPhase& phase : phases) total += phase.seconds;
  return total;
}

}  // namespace cairn
