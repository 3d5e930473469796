#include "biharmonic_plan.hpp"

#include <algorithm>

#include "base/row_partition.hpp"
#include "linalg/symmetric_tiles.hpp"

namespace cairn::app {

namespace {

constexpr Index column_entry_bytes = 12;  // of P, where it was solved for: a vertex in 32 bits and a value
constexpr Index row_entry_bytes = 16;     // of P by rows: a column in 64 bits and a value
constexpr Index arc_bytes = 4;            // of the shared graph
constexpr Index factor_entry_bytes = 16;  // a row in 64 bits and a value
constexpr Index iteration_vertex_bytes = 150, iteration_arc_bytes = 60;  // of vectors and of multigrid's matrices

// Bytes of the lower triangle in square tiles, those on the diagonal whole.
Index tile_bytes(Index size, Index number_bytes) {
  const Index order = SymmetricTiles::default_order(size);
  Index entries = 0;
  for (Index begin = 0; begin < size; begin += order) {
    const Index rows = std::min(order, size - begin);
    entries += rows * (begin + rows);
  }
  return entries * number_bytes;
}

}  // namespace

Plan plan_biharmonic(const PlanInput& input) {
  const Index n = input.objects, l = input.s1, ranks = input.ranks;
  Plan plan;
  plan.evaluations = l * l;
  plan.probe_evaluations = input.probe_rows * n;
  const Index nonzeros = input.reused_entries > 0 ? input.reused_entries : std::min(input.p_row, l) * (n - l) + l;
  const Index own_rows = (n + ranks - 1) / ranks, own_nonzeros = nonzeros / ranks + 1;
  const Index own_tiles = tile_bytes(l, input.tile_number_bytes) / ranks;
  const Index length_bytes = input.weighted ? 8 : 0;
  const Index own_graph = own_rows * 8 + input.arcs / ranks * (8 + length_bytes);
  const Index node_graph = n * 8 + input.arcs * (arc_bytes + length_bytes);

  plan.items = {{"program and libraries", input.baseline_bytes},
                {"graph, its own part", own_graph},
                {"graph, once per node", node_graph},
                {"operator, once per node", n * 8},
                {"P", own_rows * 8 + own_nonzeros * row_entry_bytes}};
  std::vector<PlanItem> interpolation;
  if (input.reused_entries == 0) {
    interpolation = {{"columns of P, before they are rows", own_nonzeros * column_entry_bytes},
                     input.iterative
                         ? PlanItem{"vectors and multigrid of the iterations",
                                    own_rows * iteration_vertex_bytes + input.arcs / ranks * iteration_arc_bytes}
                         : PlanItem{"factor of the operator", factor_entries_of_roads * n * factor_entry_bytes}};
  }
  // A batch of rows of K and of K~, and one source's search.
  constexpr Index batch_bytes = Index{256} << 20;
  const Index rows = std::min(input.probe_rows, std::max<Index>(1, batch_bytes / (own_rows * 16)));
  const std::vector<PlanItem> evaluation = {{"W", own_tiles}, {"rows of the matrix", rows * own_rows * 16 + n * 8}};
  const auto sum = [](const std::vector<PlanItem>& items) {
    Index bytes = 0;
    for (const PlanItem& item : items) bytes += item.bytes;
    return bytes;
  };
  const bool first = sum(interpolation) > sum(evaluation);
  plan.peak_phase = first ? "interpolation" : "evaluation";
  const auto& worst = first ? interpolation : evaluation;
  plan.items.insert(plan.items.end(), worst.begin(), worst.end());
  plan.peak_bytes = sum(plan.items);
  plan.result_bytes = nonzeros * 12 + n * 8 + tile_bytes(l, input.tile_number_bytes);
  return plan;
}

}  // namespace cairn::app
