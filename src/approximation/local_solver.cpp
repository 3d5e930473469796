// Columns of P by patches: a landmark costs what its neighbourhood does.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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

constexpr Index patch_landmarks = 1000;        // whose columns a patch gives
constexpr double dense_tolerance = 1e-11;      // a row of dense P sums over hundreds of columns: 1e-8 is asked of it
constexpr double margin_growth = 1.6;          // for landmarks whose columns leave a patch
constexpr double patch_growth = 0.2;           // share of vertices that come in at a patch's edge at a time
constexpr double neighbourhood_growth = 0.15;  // and at a neighbourhood's rim
constexpr double rim_share = 0.3;              // of the least value that is kept: what a rim may hold, for beyond it a
                                               // column that crosses 0 there rises again
constexpr int row_sum_lane = 0, condition_lane = 1, first_sign_lane = 2;  // of an examination

// Landmarks' worth of vertices (n / l each) within which a column of P falls to `value`: on road networks and grids it
// loses about a decade with every two units of sqrt(n / l) that are added to the side of a square of this area.
double worth_down_to(double value) {
  const double side = 4.0 + 2.1 * std::max(0.0, -std::log10(value));
  return side * side;
}

// Of an examination: a bound of the columns at a node.
double largest_sum(const PartialSolver& solver, std::int32_t node) {
  double largest = 0.0;
  for (int lane = first_sign_lane; lane < lanes; ++lane) largest = std::max(largest, std::abs(solver.at(node)[lane]));
  return largest;
}

// How far patches and neighbourhoods go at first, in landmarks' worth of vertices.
struct Reach {
  Reach(Index vertices, Index landmarks, const InterpolationParameters& parameters)
      : worth(static_cast<double>(vertices) / static_cast<double>(landmarks)) {
    const bool dense = parameters.p_row == 0 || parameters.p_row >= landmarks;
    tolerance = dense ? std::min(parameters.tolerance, dense_tolerance) : parameters.tolerance;
    margin = known = worth_down_to(tolerance);
    if (!dense && parameters.sparsity == "columns") {
      known = std::max(45.0, 2.0 * static_cast<double>(parameters.p_row));
      margin = std::max(margin, known);
    }
  }
  // Vertices of x landmarks' worth around a group: a disc around a cluster.
  [[nodiscard]] Index vertices_around(std::size_t group, double x) const {
    const double side = std::sqrt(x) + std::sqrt(static_cast<double>(group)) - 1.0;
    return static_cast<Index>(std::ceil(std::min(side * side * worth, 1e15)));
  }

  double worth;      // n / l
  double tolerance;  // of values at a patch's edge
  double margin;     // that a patch holds around a group
  double known;      // around a group in which its columns are computed
};

class LocalSolver final : public ColumnSolver {
 public:
  LocalSolver(const OperatorView& op, const std::vector<Index>& landmarks, const InterpolationParameters& parameters,
              NodeArray<std::int32_t> landmark_at, std::vector<std::vector<Index>> tiles)
      : op_(op),
        landmarks_(landmarks),
        landmark_at_(std::move(landmark_at)),
        tiles_(std::move(tiles)),
        reach_(op.size, static_cast<Index>(landmarks.size()), parameters) {}

  [[nodiscard]] const std::vector<std::vector<Index>>& tiles() const override { return tiles_; }
  [[nodiscard]] Index column_size() const override { return op_.size - static_cast<Index>(landmarks_.size()); }

  [[nodiscard]] TileColumns solve(Index tile, Index kept) const override {
    TileColumns result;
    std::vector<Index> pending = tiles_[static_cast<std::size_t>(tile)];
    for (double margin = reach_.margin; !pending.empty(); margin *= margin_growth) {
      pending = solve_patch(pending, reach_.vertices_around(pending.size(), margin), kept, result);
    }
    return result;
  }

 private:
  [[nodiscard]] std::int32_t vertex(Index landmark) const {
    return static_cast<std::int32_t>(landmarks_[static_cast<std::size_t>(landmark)]);
  }

  [[nodiscard]] std::vector<Index> solve_patch(const std::vector<Index>& members, Index reach, Index kept,
                                               TileColumns& result) const;
  [[nodiscard]] Quality examine(const Patch& patch, PartialSolver& solver, const std::vector<Index>& members) const;
  static void add_sums(const Patch& patch, const PartialSolver& solver, TileColumns& result);
  [[nodiscard]] std::vector<std::int32_t> beyond_tolerance(const Patch& patch, const PartialSolver& solver) const;
  [[nodiscard]] bool solve_group(const Patch& patch, PartialSolver& solver, std::span<const Index> group, Index kept,
                                 std::vector<Column>& columns) const;

  OperatorView op_;
  const std::vector<Index>& landmarks_;
  NodeArray<std::int32_t> landmark_at_;
  std::vector<std::vector<Index>> tiles_;
  Reach reach_;
};

// The columns of `members` by one patch, grown until no column exceeds the tolerance at its edge.
// @return those of them whose columns reach beyond it
std::vector<Index> LocalSolver::solve_patch(const std::vector<Index>& members, Index reach, Index kept,
                                            TileColumns& result) const {
  std::vector<std::int32_t> seeds;
  for (const Index member : members) seeds.push_back(vertex(member));
  Region region(op_, landmark_at_.values(), seeds, reach);
  for (;;) {
    const Patch patch(op_, landmark_at_.values(), region.vertices());
    PartialSolver solver(patch);
    const Quality quality = examine(patch, solver, members);
    if (quality.edge_bound > reach_.tolerance) {
      region.grow(beyond_tolerance(patch, solver), static_cast<Index>(patch_growth * patch.nodes()));
      continue;
    }
    result.quality.condition = std::max(result.quality.condition, quality.condition);
    result.quality.edge_bound = std::max(result.quality.edge_bound, quality.edge_bound);
    result.quality.factor_entries = std::max(result.quality.factor_entries, quality.factor_entries);
    if (result.sums.empty()) add_sums(patch, solver, result);  // a further patch solves again for some of the columns
    std::vector<Index> left;
    for (std::size_t begin = 0; begin < members.size(); begin += lanes) {
      const auto group = std::span(members).subspan(begin, std::min<std::size_t>(lanes, members.size() - begin));
      if (!solve_group(patch, solver, group, kept, result.columns)) left.insert(left.end(), group.begin(), group.end());
    }
    return left;
  }
}

// One solve on all of the patch. Its lanes: the landmarks of the tile at once, for the sums of P's rows; ones on the
// right, whose solution is as large as the norm of the inverse where that is positive; and the landmarks of the tile
// with random signs: at every vertex each of these sums is as large as the largest of the columns with probability 1/2
// at least, so that no column exceeds the largest of six with probability 63/64.
ColumnSolver::Quality LocalSolver::examine(const Patch& patch, PartialSolver& solver,
                                           const std::vector<Index>& members) const {
  std::vector<PartialSolver::Source> ends, loads;
  std::vector<std::int32_t> all;
  for (std::int32_t node = 0; node < patch.nodes(); ++node) {
    if (node < patch.unknowns()) {
      all.push_back(node);
      loads.push_back({node, condition_lane, 1.0});
    }
  }
  const Random random(0, Stream::probe);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::int32_t node = patch.node_of(vertex(members[k]));
    ends.push_back({node, row_sum_lane, 1.0});
    const std::uint64_t signs = random.bits(static_cast<std::uint64_t>(members[k]));
    for (int lane = first_sign_lane; lane < lanes; ++lane) {
      ends.push_back({node, lane, ((signs >> lane) & 1U) != 0 ? 1.0 : -1.0});
    }
  }
  solver.begin(ends, loads);
  solver.extend(all);
  solver.correct();

  Quality quality;
  for (const std::int32_t node : all) {
    quality.condition = std::max(quality.condition, std::abs(solver.at(node)[condition_lane]));
  }
  quality.condition *= patch.factor().norm;
  for (const std::int32_t node : patch.edge())
    quality.edge_bound = std::max(quality.edge_bound, largest_sum(solver, node));
  quality.factor_entries = static_cast<double>(patch.factor().rows.size()) + patch.unknowns();
  return quality;
}

// Of an examined patch.
void LocalSolver::add_sums(const Patch& patch, const PartialSolver& solver, TileColumns& result) {
  for (std::int32_t node = 0; node < patch.unknowns(); ++node) {
    result.sum_vertices.push_back(patch.vertex_of(node));
    result.sums.push_back(solver.at(node)[row_sum_lane]);
  }
}

// Vertices at the edge of an examined patch where a column may be too large to be cut off, or nearly so: what is grown
// is factored anew.
std::vector<std::int32_t> LocalSolver::beyond_tolerance(const Patch& patch, const PartialSolver& solver) const {
  std::vector<std::int32_t> vertices;
  for (const std::int32_t node : patch.edge()) {
    if (largest_sum(solver, node) > 0.1 * reach_.tolerance) vertices.push_back(patch.vertex_of(node));
  }
  return vertices;
}

// The columns of up to `lanes` landmarks, in a neighbourhood that is grown until no value on its rim would be kept:
// beyond it they are less. False where that leads out of the patch.
bool LocalSolver::solve_group(const Patch& patch, PartialSolver& solver, std::span<const Index> group, Index kept,
                              std::vector<Column>& columns) const {
  std::vector<std::int32_t> nodes;
  std::vector<PartialSolver::Source> ends;
  for (std::size_t lane = 0; lane < group.size(); ++lane) {
    nodes.push_back(patch.node_of(vertex(group[lane])));
    ends.push_back({nodes.back(), static_cast<int>(lane), 1.0});
  }
  solver.begin(ends, {});
  std::array<MagnitudeCounts, lanes> counts;
  Neighbourhood near(patch, nodes, reach_.vertices_around(group.size(), reach_.known));
  for (;;) {
    solver.extend(near.added());
    for (const std::int32_t node : near.added()) {
      for (std::size_t lane = 0; lane < group.size(); ++lane) counts[lane].add(solver.at(node)[lane]);
    }
    std::array<double, lanes> least{};
    for (std::size_t lane = 0; lane < group.size(); ++lane) {
      const double smallest_kept = kept == 0 ? 0.0 : rim_share * counts[lane].at_least(kept);
      least[lane] = kept == 0 || smallest_kept > 0.0 ? std::max(smallest_kept, reach_.tolerance) : 0.0;
    }
    std::vector<std::int32_t> open;  // nodes to go on from
    for (const std::int32_t node : near.rim()) {
      bool counts_here = false;
      for (std::size_t lane = 0; lane < group.size(); ++lane) {
        counts_here = counts_here || std::abs(solver.at(node)[lane]) > least[lane];
      }
      if (!counts_here) continue;
      if (!patch.complete(node)) return false;
      open.push_back(node);
    }
    if (open.empty()) break;
    near.grow(open, static_cast<Index>(std::ceil(neighbourhood_growth * static_cast<double>(near.size()))));
  }
  solver.correct();
  std::vector<std::int32_t> unknowns, vertices;
  near.list(unknowns, vertices);
  const auto values = solver.values(unknowns);
  for (std::size_t lane = 0; lane < group.size(); ++lane) {
    columns.push_back(select_largest(group[lane], vertices, values[lane], kept));
  }
  return true;
}

}  // namespace

double patch_share(Index vertices, Index landmarks, const InterpolationParameters& parameters) {
  const Reach reach(vertices, landmarks, parameters);
  const Index patch =
      reach.vertices_around(static_cast<std::size_t>(std::min(landmarks, patch_landmarks)), reach.margin);
  return std::min(1.0, static_cast<double>(patch) / static_cast<double>(vertices));
}

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
