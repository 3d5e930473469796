// Columns of P by patches: a landmark costs what its neighbourhood does.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "approximation/column_selection.hpp"
#include "approximation/landmark_regions.hpp"
#include "approximation/partial_solve.hpp"
#include "approximation/patch.hpp"
#include "approximation/patches.hpp"
#include "approximation/solvers.hpp"
#include "base/collective_guard.hpp"
#include "base/random.hpp"

namespace cairn {

namespace {

constexpr Index patch_landmarks = 1000;    // whose columns a patch gives
constexpr double dense_tolerance = 1e-11;  // a row of dense P sums over hundreds of columns: 1e-8 is asked of it
constexpr double growth = 1.6;             // of a reach that was too short
constexpr int row_sum_lane = 0, condition_lane = 1, first_sign_lane = 2;  // of an examination

// Landmarks' worth of vertices (n / l each) within which a column of P falls to `value`: on road networks and grids it
// loses a decade with every 2.7 that are added to the radius of a disc of this area (in units of sqrt(n / l)).
double worth_down_to(double value) {
  const double side = 2.0 + 1.7 * std::max(0.0, -std::log10(value));
  return side * side;
}

class LocalSolver final : public ColumnSolver {
 public:
  LocalSolver(const OperatorView& op, const std::vector<Index>& landmarks, const InterpolationParameters& parameters,
              NodeArray<std::int32_t> landmark_at, std::vector<std::vector<Index>> tiles)
      : op_(op),
        landmarks_(landmarks),
        landmark_at_(std::move(landmark_at)),
        tiles_(std::move(tiles)),
        worth_(static_cast<double>(op.size) / static_cast<double>(landmarks.size())),
        dense_(parameters.p_row == 0 || parameters.p_row >= static_cast<Index>(landmarks.size())),
        tolerance_(dense_ ? std::min(parameters.tolerance, dense_tolerance) : parameters.tolerance),
        margin_(worth_down_to(tolerance_)),
        known_(margin_) {
    if (!dense_ && parameters.sparsity == "columns") {
      known_ = std::max(45.0, 2.0 * static_cast<double>(parameters.p_row));
      margin_ = std::max(margin_, known_);
    }
  }

  [[nodiscard]] const std::vector<std::vector<Index>>& tiles() const override { return tiles_; }
  [[nodiscard]] Index column_size() const override { return op_.size - static_cast<Index>(landmarks_.size()); }

  [[nodiscard]] TileColumns solve(Index tile, Index kept) const override {
    const std::vector<Index>& members = tiles_[static_cast<std::size_t>(tile)];
    for (double margin = margin_;; margin *= growth) {
      const Patch patch = make_patch(members, margin);
      PartialSolver solver(patch);
      TileColumns result;
      result.quality = examine(patch, solver, members);
      if (result.quality.edge_bound > tolerance_) continue;
      bool solved = true;
      for (std::size_t begin = 0; begin < members.size() && solved; begin += lanes) {
        const auto group = std::span(members).subspan(begin, std::min<std::size_t>(lanes, members.size() - begin));
        solved = solve_group(patch, solver, group, kept, margin, result.columns);
      }
      if (solved) return result;
    }
  }

 private:
  // Vertices of x landmarks' worth around a group: a disc around a cluster.
  [[nodiscard]] Index vertices_around(std::size_t group, double x) const {
    const double side = std::sqrt(x) + std::sqrt(static_cast<double>(group)) - 1.0;
    return static_cast<Index>(std::ceil(std::min(side * side * worth_, 1e15)));
  }
  [[nodiscard]] std::int32_t vertex(Index landmark) const {
    return static_cast<std::int32_t>(landmarks_[static_cast<std::size_t>(landmark)]);
  }

  [[nodiscard]] Patch make_patch(const std::vector<Index>& members, double margin) const {
    std::vector<std::vector<std::int32_t>> seeds;
    std::vector<Index> reach;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (k % lanes == 0) seeds.emplace_back();
      seeds.back().push_back(vertex(members[k]));
    }
    for (const auto& group : seeds) reach.push_back(vertices_around(group.size(), margin));
    return {op_, landmark_at_.values(), seeds, reach};
  }

  [[nodiscard]] Quality examine(const Patch& patch, PartialSolver& solver, const std::vector<Index>& members) const;
  [[nodiscard]] bool solve_group(const Patch& patch, PartialSolver& solver, std::span<const Index> group, Index kept,
                                 double margin, std::vector<Column>& columns) const;

  OperatorView op_;
  const std::vector<Index>& landmarks_;
  NodeArray<std::int32_t> landmark_at_;
  std::vector<std::vector<Index>> tiles_;
  double worth_;
  bool dense_;
  double tolerance_;
  double margin_;  // landmarks' worth that a patch holds around a group
  double known_;   // landmarks' worth around a group in which its columns are computed
};

// One solve on all of the patch. Its lanes: all landmarks of the patch at once, which give 1 everywhere but for what
// the outside adds; ones on the right, whose solution is as large as the norm of the inverse where that is positive;
// and the landmarks of the tile with random signs: at every vertex each of these sums is as large as the largest of the
// columns with probability 1/2 at least, so that no column exceeds the largest of six with probability 63/64.
ColumnSolver::Quality LocalSolver::examine(const Patch& patch, PartialSolver& solver,
                                           const std::vector<Index>& members) const {
  std::vector<PartialSolver::Source> ends, loads;
  std::vector<std::int32_t> all;
  for (std::int32_t node = 0; node < patch.nodes(); ++node) {
    if (node < patch.unknowns()) {
      all.push_back(node);
      loads.push_back({node, condition_lane, 1.0});
    } else {
      ends.push_back({node, row_sum_lane, 1.0});
    }
  }
  const Random random(0, Stream::probe);
  std::vector<std::int32_t> group;
  std::vector<std::int32_t> core;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::int32_t node = patch.node_of(vertex(members[k]));
    const std::uint64_t signs = random.bits(static_cast<std::uint64_t>(members[k]));
    for (int lane = first_sign_lane; lane < lanes; ++lane) {
      ends.push_back({node, lane, ((signs >> lane) & 1U) != 0 ? 1.0 : -1.0});
    }
    group.push_back(node);
    if (group.size() < lanes && k + 1 < members.size()) continue;
    const auto near = patch.around(group, vertices_around(group.size(), 1.0)).unknowns;
    core.insert(core.end(), near.begin(), near.end());
    group.clear();
  }
  solver.solve(ends, loads, all);

  Quality quality;
  for (const std::int32_t node : core) {
    quality.row_sum_error = std::max(quality.row_sum_error, std::abs(solver.at(node)[row_sum_lane] - 1.0));
  }
  for (const std::int32_t node : all) {
    quality.condition = std::max(quality.condition, std::abs(solver.at(node)[condition_lane]));
  }
  quality.condition *= patch.factor().norm;
  for (const std::int32_t node : patch.edge()) {
    for (int lane = first_sign_lane; lane < lanes; ++lane) {
      quality.edge_bound = std::max(quality.edge_bound, std::abs(solver.at(node)[lane]));
    }
  }
  quality.factor_entries = static_cast<double>(patch.factor().rows.size()) + patch.unknowns();
  return quality;
}

// The columns of up to `lanes` landmarks: false where they reach beyond the patch.
bool LocalSolver::solve_group(const Patch& patch, PartialSolver& solver, std::span<const Index> group, Index kept,
                              double margin, std::vector<Column>& columns) const {
  std::vector<std::int32_t> nodes;
  std::vector<PartialSolver::Source> ends;
  for (std::size_t lane = 0; lane < group.size(); ++lane) {
    nodes.push_back(patch.node_of(vertex(group[lane])));
    ends.push_back({nodes.back(), static_cast<int>(lane), 1.0});
  }
  for (double known = known_;; known *= growth) {
    const Neighbourhood near = patch.around(nodes, vertices_around(group.size(), known));
    solver.solve(ends, {}, near.unknowns);
    const std::size_t before = columns.size();
    std::vector<double> values(near.unknowns.size());
    bool enough = true;
    for (std::size_t lane = 0; lane < group.size() && enough; ++lane) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = solver.at(near.unknowns[i])[lane];
      Column column = select_largest(group[lane], near.vertices, values, kept);
      // Beyond the rim values are no larger than on it: none of them would be kept.
      double least = tolerance_, rim = 0.0;
      if (kept > 0 && static_cast<Index>(column.values.size()) == kept) least = std::max(least, column.smallest);
      for (const std::int32_t node : near.rim) rim = std::max(rim, std::abs(solver.at(node)[lane]));
      const bool short_of_entries = kept > 0 && static_cast<Index>(column.values.size()) < kept && !near.rim.empty();
      enough = rim <= least && !short_of_entries;
      columns.push_back(std::move(column));
    }
    if (enough) return true;
    columns.resize(before);
    if (near.rim.empty()) return true;
    if (known * growth > margin) return false;
  }
}

}  // namespace

std::unique_ptr<ColumnSolver> make_local_solver(const Execution& execution, const BiharmonicOperator& op,
                                                const std::vector<Index>& landmarks,
                                                const InterpolationParameters& parameters) {
  const Communicator& communicator = execution.communicator;
  const OperatorView view(op);
  NodeArray<std::int32_t> landmark_at(communicator, op.size());
  if (landmark_at.node().is_root()) {
    const auto positions = landmark_at.writable();
    std::ranges::fill(positions, -1);
    for (std::size_t k = 0; k < landmarks.size(); ++k) {
      positions[static_cast<std::size_t>(landmarks[k])] = static_cast<std::int32_t>(k);
    }
  }
  landmark_at.publish();

  // Cut by one rank: all have to work on the same tiles.
  std::vector<Index> sizes, members;
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    for (const auto& tile : cut_into_patches(view, nearest_landmarks(view, landmarks),
                                             static_cast<Index>(landmarks.size()), patch_landmarks, lanes)) {
      sizes.push_back(static_cast<Index>(tile.size()));
      members.insert(members.end(), tile.begin(), tile.end());
    }
  });
  communicator.broadcast(sizes, 0);
  communicator.broadcast(members, 0);
  std::vector<std::vector<Index>> tiles;
  auto next = members.begin();
  for (const Index size : sizes) {
    tiles.emplace_back(next, next + size);
    next += size;
  }
  return std::make_unique<LocalSolver>(view, landmarks, parameters, std::move(landmark_at), std::move(tiles));
}

}  // namespace cairn
