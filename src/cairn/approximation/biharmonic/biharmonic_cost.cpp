#include "cairn/approximation/biharmonic/biharmonic_cost.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/approximation/biharmonic/biharmonic.hpp"
#include "cairn/approximation/biharmonic/harmonic/harmonic_form.hpp"
#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/approximation/biharmonic/local/patch_reach.hpp"
#include "cairn/approximation/biharmonic/solver_choice.hpp"
#include "cairn/approximation/columns_in_turn.hpp"
#include "cairn/approximation/sparse_products.hpp"
#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/sparse/slepc_session.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/operator/nearest_neighbors.hpp"

namespace cairn {

namespace {

constexpr Index mebibyte = Index{1} << 20;

// Bytes of the lower triangle in square tiles; diagonal tiles are stored in full.
Index tile_bytes(Index size, Index value_bytes) {
  const Index order = SymmetricTiles::default_order(size);
  Index entries = 0;
  for (Index begin = 0; begin < size; begin += order) {
    const Index rows = std::min(order, size - begin);
    entries += rows * (begin + rows);
  }
  return entries * value_bytes;
}

// Large data sets begin at multiples of a mebibyte; tiles fill the first gap.
Index in_file(Index bytes) { return bytes < mebibyte ? bytes : (bytes + mebibyte - 1) / mebibyte * mebibyte; }

// The stages of one run. Sizes per rank are those of the largest rank.
class Stages {
 public:
  Stages(const Values& values, const CostInput& input)
      : input_(input),
        solver_(solver_name(values)),
        soft_(values.given("soft-landmarks")),
        p_row_(values.integer("p-row")),
        n_(input.data.objects),
        core_(n_ - input.hanging),
        l_(input.landmarks),
        ranks_(input.ranks) {
    const RowPartition partition(n_, input.ranks);
    for (int rank = 0; rank < input.ranks; ++rank) own_rows_ = std::max(own_rows_, partition.range(rank).size());
    nonzeros_ = input.known_entries > 0 ? input.known_entries : entries_of_p();
    core_nonzeros_ = nonzeros_ / ranks_ + 1;
    own_nonzeros_ = core_nonzeros_;
    if (core_ < n_) own_nonzeros_ += (nonzeros_ / core_ + tree_columns) * (n_ - core_) / ranks_ + core_ / ranks_;
    whole_tiles_ = tile_bytes(l_, input.rows.value_bytes);
    patch_nodes_ = static_cast<double>(core_) * patch_share(core_, l_, interpolation_parameters(values));
    const bool dense = p_row_ == 0 || p_row_ >= l_;
    whole_ = interpolation_parameters(values).whole_columns(l_);
    const double neighborhood = dense ? 1.0 : 2.0 * static_cast<double>(p_row_) / static_cast<double>(l_);
    direct_ = solver_ == "direct" || (solver_ == "auto" && (soft_ || neighborhood > largest_local_share));
    set_operator(values);
  }

  [[nodiscard]] StagedCost cost(const Values& values) const {
    StagedCost cost;
    cost.shared = shared_data();
    if (input_.known_entries == 0) {
      cost.stages = {columns_stage(), rows_stage()};
      if (direct_) cost.stages.insert(cost.stages.begin(), factor_stage());
      if (of_neighbors_) cost.stages.push_back(search_stage(values.integer("neighbours")));
      if (core_ < n_) cost.stages.push_back(trees_stage());
      if (input_.value_bytes == 4) {
        cost.stages.push_back({"single precision", {rows_of_p(), kept_p()}, {}});
        cost.stages.back().own.back().name = "P, in single precision";
      }
    }
    cost.core_matrix = matrix_stage();
    cost.compared = {kept_p(), {"W", own_tiles()}, compared_products()};
    if (solver_ == "petsc" && input_.known_entries == 0) cost.library_bytes = slepc_bytes();
    cost.left_bytes = kept_p().bytes;
    cost.tile_bytes = own_tiles();
    cost.evaluations = l_ * l_;
    cost.result_bytes = result_bytes();
    cost.scratch_bytes = input_.on_disk ? whole_tiles_ : 0;
    return cost;
  }

 private:
  // Sets the number of arcs of the graph that P is solved on.
  void set_operator(const Values& values) {
    constexpr Index mesh_degree = 6;
    constexpr double one_sided = 1.4;  // arcs per neighbor: the relation may be mutual or one-way
    std::string name = values.text("operator");
    if (name == "auto" && !input_.operators.empty()) name = input_.operators.front();
    if (input_.data.arcs > 0) {
      arcs_ = input_.data.arcs;
    } else if (input_.data.surface && name != "neighbours") {
      arcs_ = mesh_degree * n_;
    } else {
      arcs_ =
          static_cast<Index>(one_sided * static_cast<double>(values.integer("neighbours")) * static_cast<double>(n_));
    }
    weighted_ = input_.data.weighted || name != "graph";
    of_neighbors_ = input_.data.arcs == 0 && (!input_.data.surface || name == "neighbours");
  }

  // The operator of points is built from nearest neighbors, which are searched among all coordinates.
  [[nodiscard]] CostStage search_stage(Index neighbors) const {
    constexpr Index of_surface = 3;
    const Index dimension = input_.data.surface ? of_surface : input_.data.dimension;
    const auto bytes = neighbor_search_bytes(n_, own_rows_, dimension, neighbors, input_.value_bytes, input_.threads);
    CostStage stage{"operator", {{"search of nearest points", bytes.own}}, {}};
    if (bytes.shared > 0) stage.shared.push_back({"points, once per node, while neighbors are sought", bytes.shared});
    if (input_.data.point_entries >= 0) {
      stage.own.push_back({"all coordinates of sparse points", own_rows_ * dimension * input_.value_bytes});
    }
    return stage;
  }

  // Hard landmarks have unit rows; p-row = 0 keeps all of P.
  [[nodiscard]] Index row_of_p() const { return p_row_ == 0 ? l_ : std::min(p_row_, l_); }
  [[nodiscard]] Index entries_of_p() const { return soft_ ? row_of_p() * core_ : row_of_p() * (core_ - l_) + l_; }

  // Entries of a Cholesky factor of M_uu per vertex, measured: on roads (2.5 arcs per vertex) they grow with the number
  // of vertices between landmarks; on grids and surfaces (4 and 6 arcs) with the number of all vertices until landmarks
  // cut these into pieces; on neighbor graphs of points (14 arcs) not faster.
  [[nodiscard]] double factor_entries(double vertices) const {
    constexpr double arcs_of_roads = 2.8, arcs_of_grids = 4.0, pieces = 1024.0, most = 11.0;
    const double worth = static_cast<double>(core_) / static_cast<double>(l_);
    const double arcs = static_cast<double>(arcs_) / static_cast<double>(n_);
    const double of_roads = 3.0 + 2.0 * std::log2(std::max(4.0, worth));
    const double of_grids =
        std::min(2.0 * arcs - 1.0, most) * std::log2(std::max(4.0, std::min(vertices, pieces * worth)));
    return std::lerp(of_roads, of_grids,
                     std::clamp((arcs - arcs_of_roads) / (arcs_of_grids - arcs_of_roads), 0.0, 1.0));
  }

  // Likewise of V - A: on roads they do not grow; elsewhere with the number of vertices, more where these have many
  // neighbors.
  [[nodiscard]] double laplacian_entries(double vertices) const {
    constexpr double arcs_of_roads = 2.8, arcs_of_grids = 4.0, of_roads = 4.5;
    const double arcs = static_cast<double>(arcs_) / static_cast<double>(n_);
    const double of_grids = std::clamp(2.2 + 0.44 * (arcs - 6.0), 2.2, 6.0) * std::log2(std::max(4.0, vertices));
    return std::lerp(of_roads, of_grids,
                     std::clamp((arcs - arcs_of_roads) / (arcs_of_grids - arcs_of_roads), 0.0, 1.0));
  }

  [[nodiscard]] std::vector<CostItem> shared_data() const {
    const Index length_bytes = weighted_ ? 8 : 0;
    std::vector<CostItem> items;
    if (input_.data.surface) items.push_back({"mesh, once per node", 24 * n_ + 2 * 12 * n_});
    items.push_back({"graph of the operator, once per node",
                     n_ * 8 + arcs_ * (4 + length_bytes) + (input_.data.surface ? n_ * 8 : 0)});
    return items;
  }

  // Memory of the solver from its start until P is stored by rows; patches are freed after the last column.
  [[nodiscard]] CostStage solver_stage(const char* name, bool patch) const {
    // 32-bit vertex and value of an entry, and the data of a column.
    const bool in_order = joint() && whole_;  // rows become those of P where they are
    CostStage stage{name, {}, {}};
    if (patch || !in_order) stage.own.push_back({"columns of P", core_nonzeros_ * 12 + l_ / ranks_ * 100});
    if (!patch && in_order) stage.own.push_back({"landmarks of the entries", core_nonzeros_ * 4});
    stage.shared.push_back({"sums of rows, once per node", 8 * n_});
    if (core_ < n_) stage.shared.push_back({"trees and the core, once per node", n_ * 24 + arcs_ * 4});
    if (joint()) {
      if (solver_ == "petsc") {
        constexpr Index vertex_bytes = 150, arc_bytes = 60;  // for vectors and multigrid matrices
        if (patch) {
          stage.own.push_back(
              {"vectors and multigrid of the iterations", own_rows_ * vertex_bytes + arcs_ / ranks_ * arc_bytes});
        }
      } else if (patch) {
        stage.shared.push_back({"factor of the operator, once per node", factor_bytes()});
      }
    } else {
      stage.shared.push_back({"regions of landmarks, once per node", 12 * n_ + 100 * l_});
      const double bytes = patch_nodes_ * (120.0 + 12.0 * factor_entries(patch_nodes_));
      if (patch) stage.own.push_back({"patches and their factors", static_cast<Index>(patches_at_once() * bytes)});
    }
    return stage;
  }

  // One patch per thread; where a patch may be the whole graph, either that one or per thread one of less than half the
  // graph.
  [[nodiscard]] double patches_at_once() const {
    return patch_nodes_ < static_cast<double>(core_) ? input_.threads : std::max(1.0, 0.5 * input_.threads);
  }

  // All ranks solve for a column together.
  [[nodiscard]] bool joint() const { return solver_ == "petsc" || direct_; }

  [[nodiscard]] Index factor_bytes() const {
    constexpr double entry_bytes = 10.0;  // supernodal; 16 on roads, where there are few
    const auto n = static_cast<double>(core_);
    return static_cast<Index>(entry_bytes * n * laplacian_entries(n));
  }

  // A rank makes the factor, which is then copied to where all ranks of the node see it.
  [[nodiscard]] CostStage factor_stage() const {
    CostStage stage{"interpolation solver", {{"factor of the operator, before it is shared", factor_bytes()}}, {}};
    stage.shared.push_back({"factor of the operator, once per node", factor_bytes()});
    return stage;
  }

  [[nodiscard]] CostStage columns_stage() const {
    CostStage stage = solver_stage("interpolation", true);
    if (joint()) {
      constexpr Index of_petsc = 16, blocks = 4, in_cholmod = 2, matrices = 5;
      const Index at_once = factored_columns(core_) * input_.threads;  // by a rank
      const Index width = std::min(l_, direct_ ? at_once * ranks_ : of_petsc);
      if (HarmonicForm::keeps_functions(l_)) {
        stage.own.push_back({"harmonic functions", own_rows_ * 8 * l_});
      } else {
        stage.own.push_back({"matrices of landmarks", matrices * 8 * l_ / ranks_ * l_});
      }
      stage.own.push_back({"blocks of columns", own_rows_ * 8 * width * blocks});
      if (direct_) {
        const Index copies = ranks_ > 1 ? 3 : 1;  // whole columns, and their parts on the way
        stage.own.push_back({"right-hand sides", (width + ranks_ - 1) / ranks_ * 8 * core_ * (copies + in_cholmod)});
      }
      return stage;
    }
    constexpr double node_bytes = 450.0;  // for the matrix and the solves
    stage.own.push_back({"while a patch is factored or solved on, one a thread",
                         static_cast<Index>(input_.threads * patch_nodes_ * node_bytes)});
    return stage;
  }

  [[nodiscard]] CostItem rows_of_p() const { return {"P", own_rows_ * 8 + core_nonzeros_ * 16}; }
  // P in the precision of the run.
  [[nodiscard]] CostItem kept_p() const { return {"P", own_rows_ * 8 + own_nonzeros_ * (8 + input_.value_bytes)}; }

  [[nodiscard]] CostStage rows_stage() const {
    constexpr Index way_bytes = 4 * mebibyte;  // half a megabyte is sent at a time, and as much received
    CostStage stage = solver_stage("interpolation rows", false);
    stage.own.push_back(rows_of_p());
    stage.own.push_back({"entries on their way", way_bytes + own_rows_ * 8});
    return stage;
  }

  // Rows of P on the 2-core are sent to the vertices of its pendant trees.
  [[nodiscard]] CostStage trees_stage() const {
    CostStage stage{"rows of trees", {rows_of_p(), kept_p()}, {}};
    if (ranks_ > 1) stage.own.push_back({"rows of P of other ranks, at most", core_nonzeros_ * 24});
    stage.shared.push_back({"trees, once per node", n_ * 16});
    return stage;
  }

  [[nodiscard]] Index own_tiles() const {
    const Index order = SymmetricTiles::default_order(l_);
    return input_.on_disk ? 0 : whole_tiles_ / ranks_ + order * order * input_.rows.value_bytes;
  }

  [[nodiscard]] CostStage matrix_stage() const {
    const Index value_bytes = input_.rows.value_bytes;
    const Index slab =
        largest_landmark_slab(l_, SymmetricTiles::default_order(l_), value_bytes, input_.rows.symmetric) / ranks_;
    CostStage stage{"landmark matrix", {kept_p()}, {}};
    stage.own.push_back({"W", own_tiles()});
    const Index copies = input_.on_disk ? 3 : 2;  // rows, and what is sent and received; on disk also the open tiles
    stage.own.push_back({"rows of W before they are tiles", slab * copies});
    stage.own.push_back({"a band of W, one a thread", input_.threads * input_.rows.batch * l_ * (8 + value_bytes)});
    for (const CostItem& item : input_.rows.between) stage.own.push_back(item);
    return stage;
  }

  [[nodiscard]] CostItem compared_products() const {
    const Index rows = std::max<Index>(1, input_.compared_rows);
    const Index width =
        input_.on_disk ? std::min(columns_held_in_turn, rows) : std::min(input_.compared_round, columns_a_batch(l_));
    return {"W times rows of P", l_ * 8 * (2 * width + product_panel_columns)};
  }

  [[nodiscard]] Index result_bytes() const {
    constexpr Index largest_int32 = 2147483647;
    const Index index_bytes = nonzeros_ <= largest_int32 ? 4 : 8;
    const double deflated = static_cast<double>(whole_tiles_) * input_.deflated_share;
    const Index trees = core_ < n_ ? in_file(n_ * 4) + in_file(n_ * 8) : 0;
    return in_file(nonzeros_ * input_.value_bytes) + in_file(nonzeros_ * index_bytes) + in_file(core_ * index_bytes) +
           in_file(l_ * 8) + trees + static_cast<Index>(deflated);
  }

  const CostInput& input_;
  std::string solver_;
  bool soft_;
  Index p_row_, n_, core_, l_, ranks_;
  // nonzeros_, core_nonzeros_: of P on the 2-core. own_nonzeros_: of L, including the rows of trees.
  Index own_rows_ = 0, nonzeros_ = 0, core_nonzeros_ = 0, own_nonzeros_ = 0, whole_tiles_ = 0, arcs_ = 0;
  double patch_nodes_ = 0;
  bool whole_ = false;  // columns are needed whole
  bool direct_ = false, weighted_ = false, of_neighbors_ = false;
};

}  // namespace

StagedCost biharmonic_cost(const Values& values, const CostInput& input) {
  const std::string& storage = values.text("joining-storage");
  CostInput chosen = input;
  chosen.on_disk = storage == "disk" || (storage == "auto" && input.on_disk);
  StagedCost cost = Stages(values, chosen).cost(values);
  cost.may_use_disk = storage == "auto";
  return cost;
}

}  // namespace cairn
