#include "cairn/plan/biharmonic_plan.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/biharmonic/solver_choice.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/approximation/columns_in_turn.hpp"
#include "cairn/approximation/sparse_products.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/similarity/geodesic/geodesic.hpp"
#include "cairn/similarity/points/point_sources.hpp"
#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"

namespace cairn {

namespace {

constexpr Index mebibyte = Index{1} << 20;
constexpr Index message_bytes = 16 * mebibyte;  // of MPI and libraries once they are used, beyond the baseline

// Of a hierarchy of a road network, a vertex: arcs that are kept, and those of the completion that it is made from.
constexpr double hierarchy_arcs = 2.4, completion_arcs = 6.0;

// Bytes by phase; `shared` is what the ranks of a node hold together.
struct Stage {
  std::string name;
  std::vector<PlanItem> own, shared;
};

Index total(const std::vector<PlanItem>& items) {
  Index bytes = 0;
  for (const PlanItem& item : items) bytes += item.bytes;
  return bytes;
}

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

// Sizes that follow from the input; of the largest rank where they are a rank's.
struct Sizes {
  explicit Sizes(const PlanInput& input)
      : n(input.objects), l(input.s1), ranks(input.ranks), geodesic(input.similarity == "geodesic") {
    const RowPartition partition(n, input.ranks);
    for (int rank = 0; rank < input.ranks; ++rank) own_rows = std::max(own_rows, partition.range(rank).size());
    nonzeros = input.reused_entries > 0 ? input.reused_entries : entries_of_p(input);
    own_nonzeros = nonzeros / ranks + 1;
    whole_tiles = tile_bytes(l, input.tile_number_bytes);
    lanes = source_batch(input);
    const bool dense = input.p_row == 0 || input.p_row >= l;
    const double neighbourhood = dense ? 1.0 : 2.0 * static_cast<double>(input.p_row) / static_cast<double>(l);
    direct =
        input.solver == "direct" || (input.solver == "auto" && (input.soft || neighbourhood > largest_local_share));
  }
  // Hard landmarks have unit rows; p-row = 0 keeps all of P.
  [[nodiscard]] Index entries_of_p(const PlanInput& input) const {
    const Index row = input.p_row == 0 ? l : std::min(input.p_row, l);
    return input.soft ? row * n : row * (n - l) + l;
  }
  // Entries of a Cholesky factor of M_uu a vertex: fill grows with the vertices between landmarks.
  [[nodiscard]] double factor_entries(double vertices) const {
    const double worth = static_cast<double>(n) / static_cast<double>(l);
    if (geodesic) return 12.0 * std::log2(std::max(4.0, std::min(vertices, 64 * worth)));
    return 3.0 + 2.0 * std::log2(std::max(4.0, worth));
  }

  Index n, l, ranks, own_rows = 0, nonzeros = 0, own_nonzeros = 0, whole_tiles = 0, lanes = 1;
  bool geodesic, direct = false;
};

// The similarity: a hierarchy of path lengths, the factors of the heat method.
std::vector<PlanItem> shared_similarity(const PlanInput& input, const Sizes& sizes) {
  const Index n = sizes.n;
  if (sizes.geodesic) {
    const double entries = 2.9 * std::log2(std::max(2.0, static_cast<double>(n))) * static_cast<double>(n);
    return {{"factors of the heat method, once per node", static_cast<Index>(2 * 8 * entries) + 80 * n + 40 * 2 * n}};
  }
  if (input.similarity != "path-length") return {};
  const auto arcs = static_cast<Index>(hierarchy_arcs * static_cast<double>(n));
  const Index arc = std::max<Index>(4, 2 * input.tile_number_bytes) + 4;
  return {{"hierarchy of path lengths, once per node", 24 * n + arcs * arc}};
}

std::vector<PlanItem> shared_data(const PlanInput& input, const Sizes& sizes) {
  const Index length_bytes = input.weighted ? 8 : 0, n = sizes.n;
  std::vector<PlanItem> items;
  if (input.mesh) items.push_back({"mesh, once per node", 24 * n + 2 * 12 * n});
  items.push_back(
      {"graph of the operator, once per node", n * 8 + input.arcs * (4 + length_bytes) + (input.mesh ? n * 8 : 0)});
  return items;
}

std::vector<PlanItem> own_data(const PlanInput& input, const Sizes& sizes) {
  std::vector<PlanItem> items = {{"program and libraries", input.baseline_bytes + message_bytes}};
  const Index length_bytes = input.weighted ? 8 : 0;
  if (!input.mesh && input.dimension == 0) {
    items.push_back({"graph, its own part", sizes.own_rows * 8 + input.arcs / sizes.ranks * (8 + length_bytes)});
  } else {
    items.push_back(
        {"points, its own part", sizes.own_rows * std::max<Index>(3, input.dimension) * input.number_bytes});
  }
  return items;
}

// What the first rank needs while it makes what all share.
Stage similarity_stage(const PlanInput& input, const Sizes& sizes) {
  Stage stage{"similarity", {}, shared_similarity(input, sizes)};
  if (input.similarity == "path-length") {
    stage.own.push_back({"completion of the graph, while the hierarchy is made",
                         static_cast<Index>(30.0 * completion_arcs * static_cast<double>(sizes.n))});
  }
  if (sizes.geodesic) {
    stage.own.push_back({"a factor, before it is shared", total(stage.shared) / 2});
    stage.shared.push_back({"Delaunay triangulation, once per node", 36 * 2 * sizes.n});
  }
  return stage;
}

// The sample of geodesics that is checked: a block of distances, what solving for it takes, and paths along edges.
Stage check_stage(const Sizes& sizes) {
  return {"geodesic check",
          {{"a sample of distances that is checked", (8 * (sizes.lanes + 3) + 384) * sizes.n}},
          {{"edges of the mesh with lengths, once per node", 80 * sizes.n}}};
}

PlanItem columns_of_p(const Sizes& sizes) {
  // 32-bit vertex and value an entry, and what is known of a column.
  return {"columns of P", sizes.own_nonzeros * 12 + sizes.l / sizes.ranks * 100};
}

double patch_nodes(const PlanInput& input, const Sizes& sizes) {
  return static_cast<double>(sizes.n) * input.patch_share;
}

// What the solver keeps from its beginning until P stands by rows.
Stage solver_stage(const PlanInput& input, const Sizes& sizes, const char* name) {
  Stage stage{name, {columns_of_p(sizes)}, {{"sums of rows, once per node", 8 * sizes.n}}};
  if (input.solver == "iterative") {
    constexpr Index vertex_bytes = 150, arc_bytes = 60;  // of vectors and of multigrid's matrices
    stage.own.push_back({"vectors and multigrid of the iterations",
                         sizes.own_rows * vertex_bytes + input.arcs / sizes.ranks * arc_bytes});
  } else if (sizes.direct) {
    const auto n = static_cast<double>(sizes.n);
    stage.shared.push_back(
        {"factor of the operator, once per node", static_cast<Index>(16.0 * n * sizes.factor_entries(n))});
  } else {
    const double nodes = patch_nodes(input, sizes);
    stage.shared.push_back({"regions of landmarks, once per node", 12 * sizes.n + 100 * sizes.l});
    stage.own.push_back({"patches and their factors, one a thread",
                         static_cast<Index>(input.threads * nodes * (120.0 + 12.0 * sizes.factor_entries(nodes)))});
  }
  return stage;
}

Stage columns_stage(const PlanInput& input, const Sizes& sizes) {
  Stage stage = solver_stage(input, sizes, "interpolation");
  if (input.solver == "iterative") return stage;
  if (sizes.direct) {
    stage.own.push_back({"factor of the operator, before it is shared", stage.shared.back().bytes});
    constexpr Index copies = 4;  // solutions, right-hand sides, and both again in CHOLMOD; and two vectors
    stage.own.push_back({"right-hand sides of a block, one a thread",
                         input.threads * 8 * sizes.n * (copies * direct_solver_columns(sizes.n) + 2)});
    return stage;
  }
  constexpr double node_bytes = 450.0;  // the matrix, and what the solves take
  stage.own.push_back({"while a patch is factored or solved on, one a thread",
                       static_cast<Index>(input.threads * patch_nodes(input, sizes) * node_bytes)});
  return stage;
}

PlanItem rows_of_p(const Sizes& sizes) { return {"P", sizes.own_rows * 8 + sizes.own_nonzeros * 16}; }

Stage rows_stage(const PlanInput& input, const Sizes& sizes) {
  constexpr Index way_bytes = 4 * mebibyte;  // half a megabyte is sent at a time, and as much comes
  Stage stage = solver_stage(input, sizes, "interpolation rows");
  stage.own.push_back(rows_of_p(sizes));
  stage.own.push_back({"entries on their way", way_bytes + sizes.own_rows * 8});
  return stage;
}

Index own_tiles(const PlanInput& input, const Sizes& sizes, bool on_disk) {
  const Index order = SymmetricTiles::default_order(sizes.l);
  return on_disk ? 0 : sizes.whole_tiles / sizes.ranks + order * order * input.tile_number_bytes;
}

// P, in the precision of the run.
PlanItem kept_p(const PlanInput& input, const Sizes& sizes) {
  return {"P", sizes.own_rows * 8 + sizes.own_nonzeros * (8 + input.number_bytes)};
}

Stage matrix_stage(const PlanInput& input, const Sizes& sizes, bool on_disk) {
  const bool half = !sizes.geodesic;  // geodesic distances alone are not symmetric by construction
  const Index slab =
      largest_landmark_slab(sizes.l, SymmetricTiles::default_order(sizes.l), input.tile_number_bytes, half) /
      sizes.ranks;
  Stage stage{"landmark matrix", {kept_p(input, sizes)}, {}};
  stage.own.push_back({"W", own_tiles(input, sizes, on_disk)});
  const Index copies = on_disk ? 3 : 2;  // rows, what is sent and received; on disk the open tiles
  stage.own.push_back({"rows of W before they are tiles", slab * copies});
  stage.own.push_back(
      {"a band of W, one a thread", input.threads * sizes.lanes * sizes.l * (8 + input.tile_number_bytes)});
  if (input.similarity == "path-length") {
    stage.own.push_back({"vertices over which landmarks are reached", 2 * (16 * sizes.n / 2 + 8 * sizes.n)});
  }
  return stage;
}

// Rows of K and K~ that are compared at once, as evaluation goes about it.
Stage evaluation_stage(const PlanInput& input, const Sizes& sizes, bool on_disk) {
  const Index rows = std::max<Index>(1, input.probe_rows);
  const Index round = std::min(rows, compared_source_rows(sizes.n, sizes.lanes, input.ranks, input.threads));
  const Index own_sources = (round + sizes.ranks - 1) / sizes.ranks;
  const Index width = on_disk ? std::min(columns_held_in_turn, rows) : std::min(round, columns_a_batch(sizes.l));
  Stage stage{"evaluation", {kept_p(input, sizes)}, {}};
  stage.own.push_back({"W", own_tiles(input, sizes, on_disk)});
  stage.own.push_back({"rows of K", own_sources * sizes.n * 8});
  stage.own.push_back({"rows of K~", round * sizes.own_rows * 8});
  stage.own.push_back({"W times rows of P", sizes.l * 8 * (2 * width + product_panel_columns)});
  const Index searched = sizes.geodesic ? 384 * sizes.n : 4 * sizes.n + own_sources * sizes.n * input.tile_number_bytes;
  stage.own.push_back({"searches, one a thread", input.threads * searched});
  stage.own.push_back({"rows on their way", travelling_bytes(input, sizes.own_rows)});
  const Index both = std::min(symmetric_error_rows, input.probe_rows);
  if (sizes.geodesic) stage.own.push_back({"rows that are compared in both directions", both * both * 16});
  return stage;
}

Plan plan_with(const PlanInput& input, const Sizes& sizes, bool on_disk) {
  std::vector<Stage> stages = {similarity_stage(input, sizes), matrix_stage(input, sizes, on_disk)};
  if (sizes.geodesic) stages.push_back(check_stage(sizes));
  const bool computed = input.reused_entries == 0;
  if (computed) {
    stages.push_back(columns_stage(input, sizes));
    stages.push_back(rows_stage(input, sizes));
  }
  if (computed && input.number_bytes == 4) {
    stages.push_back({"single precision", {rows_of_p(sizes), kept_p(input, sizes)}, {}});
    stages.back().own.back().name = "P, in single precision";
  }
  if (input.probe_rows > 0) stages.push_back(evaluation_stage(input, sizes, on_disk));
  // The similarity is made before P and lives beside it.
  for (Stage& stage : stages) {
    if (stage.name == "similarity") continue;
    for (const PlanItem& item : shared_similarity(input, sizes)) stage.shared.push_back(item);
  }
  const auto largest =
      std::ranges::max_element(stages, {}, [](const Stage& stage) { return total(stage.own) + total(stage.shared); });
  const auto together = [&](const Stage& stage) {
    const Index owners = stage.name == "similarity" ? 1 : sizes.ranks;
    return total(stage.own) * owners + total(stage.shared);
  };
  const std::vector<PlanItem> own = own_data(input, sizes), shared = shared_data(input, sizes);
  Plan plan;
  plan.peak_phase = largest->name;
  for (const auto* list : {&own, &shared, &std::as_const(largest->shared), &std::as_const(largest->own)})
    plan.items.insert(plan.items.end(), list->begin(), list->end());
  plan.peak_bytes = total(plan.items);
  for (const Stage& stage : stages) plan.node_bytes = std::max(plan.node_bytes, together(stage));
  plan.node_bytes += total(own) * sizes.ranks + total(shared);
  return plan;
}

// Large data sets begin at whole megabytes; tiles fill the first gap.
Index in_file(Index bytes) { return bytes < mebibyte ? bytes : (bytes + mebibyte - 1) / mebibyte * mebibyte; }

}  // namespace

Index source_batch(const PlanInput& input) {
  if (input.similarity == "geodesic") return geodesic_batch;
  if (input.similarity != "path-length") return point_sources_batch;
  return input.tile_number_bytes <= 2   ? sweep_lanes<std::uint16_t>
         : input.tile_number_bytes == 4 ? sweep_lanes<std::uint32_t>
                                        : sweep_lanes<double>;
}

Index travelling_bytes(const PlanInput& input, Index own_rows) {
  return 2 * std::max<Index>(travelling_rows, input.ranks) * own_rows * 8;
}

Index work_beside_joining(const PlanInput& input) {
  const Sizes sizes(input);
  Index most = total(matrix_stage(input, sizes, false).own);
  if (input.probe_rows > 0) most = std::max(most, total(evaluation_stage(input, sizes, false).own));
  return most - own_tiles(input, sizes, false) - kept_p(input, sizes).bytes;
}

Plan plan_biharmonic(const PlanInput& input) {
  const Sizes sizes(input);
  Plan plan = plan_with(input, sizes, input.storage == "disk");
  plan.joining_on_disk = input.storage == "disk";
  if (input.storage == "auto" && input.memory_limit > 0 && plan.peak_bytes > input.memory_limit) {
    plan = plan_with(input, sizes, true);
    plan.joining_on_disk = true;
  }
  plan.evaluations = sizes.l * sizes.l;
  plan.probe_evaluations = input.probe_rows * sizes.n;
  constexpr Index largest_int32 = 2147483647;
  const Index index_bytes = sizes.nonzeros <= largest_int32 ? 4 : 8;
  const double deflated = static_cast<double>(sizes.whole_tiles) * input.deflated_share;
  plan.result_bytes = in_file(sizes.nonzeros * input.number_bytes) + in_file(sizes.nonzeros * index_bytes) +
                      in_file(sizes.n * index_bytes) + in_file(sizes.l * 8) + static_cast<Index>(deflated);
  if (plan.joining_on_disk) plan.scratch_bytes = sizes.whole_tiles;
  return plan;
}

}  // namespace cairn
