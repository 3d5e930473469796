// Columns of P by patches: a landmark costs what its neighbourhood does.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "cairn/approximation/biharmonic/column_selection.hpp"
#include "cairn/approximation/biharmonic/landmark_regions.hpp"
#include "cairn/approximation/biharmonic/local/group_levels.hpp"
#include "cairn/approximation/biharmonic/local/partial_solve.hpp"
#include "cairn/approximation/biharmonic/local/patch.hpp"
#include "cairn/approximation/biharmonic/local/patch_reach.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

constexpr Index tile_landmarks = 128;  // of a patch at a time: ranks may share its work
constexpr double margin_growth = 1.6;  // for landmarks whose columns leave a patch
constexpr int row_sum_lane = 0, condition_lane = 1, first_sign_lane = 2;  // of an examination

// Of an examination: a bound of the columns at a node.
double largest_sum(const PartialSolver& solver, std::int32_t node) {
  double largest = 0.0;
  for (int lane = first_sign_lane; lane < lanes; ++lane) largest = std::max(largest, std::abs(solver.at(node)[lane]));
  return largest;
}

// Solvers on a patch that no thread uses: their vectors have been touched, so that no new pages are asked for.
class IdleSolvers {
 public:
  void put(std::unique_ptr<PartialSolver> solver) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(solver));
  }
  [[nodiscard]] std::unique_ptr<PartialSolver> take(const Patch& patch) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<PartialSolver>(patch);
    std::unique_ptr<PartialSolver> solver = std::move(idle_.back());
    idle_.pop_back();
    return solver;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PartialSolver>> idle_;
};

// A patch that no column exceeds the tolerance at the edge of, for the landmarks that it was made for.
struct ExaminedPatch {
  std::unique_ptr<const Patch> patch;
  ColumnSolver::Quality quality;
  std::vector<double> sums;  // of their columns, at the unknowns
  mutable IdleSolvers solvers;
};

class LocalSolver final : public ColumnSolver {
 public:
  /// @param patches  positions of landmarks, each once
  LocalSolver(const OperatorView& op, Index landmarks, const InterpolationParameters& parameters,
              LandmarkRegions regions, std::vector<std::vector<Index>> patches)
      : op_(op), regions_(std::move(regions)), members_(std::move(patches)), reach_(op.size, landmarks, parameters) {
    for (std::size_t patch = 0; patch < members_.size(); ++patch) {
      const auto& members = members_[patch];
      for (std::size_t begin = 0; begin < members.size(); begin += tile_landmarks) {
        const std::size_t size = std::min<std::size_t>(tile_landmarks, members.size() - begin);
        const auto first = members.begin() + static_cast<std::ptrdiff_t>(begin);
        tiles_.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
        places_.push_back({patch, begin == 0});
      }
    }
  }

  [[nodiscard]] const std::vector<std::vector<Index>>& tiles() const override { return tiles_; }
  [[nodiscard]] Index column_size() const override { return op_.size - regions_.size(); }
  [[nodiscard]] Index patches() const override { return static_cast<Index>(members_.size()); }

  [[nodiscard]] TileColumns solve(Index tile, Index kept) const override {
    const std::vector<Index>& members = tiles_[static_cast<std::size_t>(tile)];
    const auto [patch, first] = places_[static_cast<std::size_t>(tile)];
    const std::shared_ptr<const ExaminedPatch> examined = examined_patch(patch);
    TileColumns result;
    result.quality = examined->quality;
    if (first) add_sums(*examined, result);
    std::vector<Index> pending = solve_on(*examined, members, kept, result.columns);
    for (double margin = reach_.margin * margin_growth; !pending.empty(); margin *= margin_growth) {
      const auto larger = examine(pending, margin);
      result.quality.include(larger->quality);
      pending = solve_on(*larger, pending, kept, result.columns);
    }
    return result;
  }

  void release() override { patches_.clear(); }

 private:
  // Of a tile: its patch, and whether it is the first one there.
  struct Place {
    std::size_t patch;
    bool first;
  };
  using Patches = std::map<std::size_t, std::shared_future<std::shared_ptr<const ExaminedPatch>>>;

  [[nodiscard]] std::shared_ptr<const ExaminedPatch> examined_patch(std::size_t patch) const;
  [[nodiscard]] std::shared_ptr<const ExaminedPatch> examine(const std::vector<Index>& members, double margin) const;
  [[nodiscard]] Quality examine(const Patch& patch, PartialSolver& solver, const std::vector<Index>& members) const;
  static void add_sums(const ExaminedPatch& examined, TileColumns& result);
  void grow(RegionSet& regions, const Patch& patch, const PartialSolver& solver, double edge_bound) const;
  [[nodiscard]] std::vector<Index> solve_on(const ExaminedPatch& examined, const std::vector<Index>& members,
                                            Index kept, std::vector<Column>& columns) const;
  [[nodiscard]] bool solve_group(const Patch& patch, PartialSolver& solver, std::span<const Index> group, Index kept,
                                 RegionSet& near, std::vector<Column>& columns) const;
  [[nodiscard]] bool look_beyond(const Patch& patch, const PartialSolver& solver, const GroupLevels& levels,
                                 const GroupLevels::Least& least, std::int32_t region, RegionSet& near) const;
  static void append_columns(const Patch& patch, const PartialSolver& solver, std::span<const Index> group,
                             const RegionSet& near, Index kept, std::vector<Column>& columns);

  OperatorView op_;
  LandmarkRegions regions_;
  std::vector<std::vector<Index>> members_;  // of the patches
  std::vector<std::vector<Index>> tiles_;
  std::vector<Place> places_;  // of the tiles
  Reach reach_;
  mutable std::mutex mutex_;
  mutable Patches patches_;  // that tiles are being solved on, and the last one
};

// Made by the first thread that asks for it; it goes when another is asked for and no thread uses it any more.
std::shared_ptr<const ExaminedPatch> LocalSolver::examined_patch(std::size_t patch) const {
  std::promise<std::shared_ptr<const ExaminedPatch>> promise;
  Patches::mapped_type result;
  bool mine = false;
  {
    const std::lock_guard lock(mutex_);
    const auto at = patches_.find(patch);
    mine = at == patches_.end();
    if (mine) {
      std::erase_if(patches_, [](const auto& entry) {
        const bool ready = entry.second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        return ready && entry.second.get().use_count() == 1;
      });
    }
    result = mine ? patches_.emplace(patch, promise.get_future().share()).first->second : at->second;
  }
  if (mine) {
    try {
      promise.set_value(examine(members_[patch], reach_.margin));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }
  return result.get();
}

// A patch around some landmarks, grown until no column of theirs exceeds the tolerance at its edge.
std::shared_ptr<const ExaminedPatch> LocalSolver::examine(const std::vector<Index>& members, double margin) const {
  RegionSet regions = regions_of_patch(regions_, reach_, members, margin);
  for (;;) {
    const auto result = std::make_shared<ExaminedPatch>();
    result->patch = std::make_unique<const Patch>(op_, regions_, regions.list());
    const Patch& patch = *result->patch;
    auto solver = std::make_unique<PartialSolver>(patch);
    result->quality = examine(patch, *solver, members);
    if (result->quality.edge_bound <= reach_.tolerance) {
      for (std::int32_t node = 0; node < patch.unknowns(); ++node)
        result->sums.push_back(solver->at(node)[row_sum_lane]);
      result->solvers.put(std::move(solver));
      return result;
    }
    grow(regions, patch, *solver, result->quality.edge_bound);
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
    const std::int32_t node = patch.node_of_landmark(static_cast<std::int32_t>(members[k]));
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
  quality.factor_entries = static_cast<double>(patch.factor().entries());
  return quality;
}

void LocalSolver::add_sums(const ExaminedPatch& examined, TileColumns& result) {
  result.sums = examined.sums;
  for (std::int32_t node = 0; node < examined.patch->unknowns(); ++node) {
    result.sum_vertices.push_back(examined.patch->vertex_of(node));
  }
}

// Adds rings to an examined patch where columns are too large at its edge to be cut off, or nearly so, as many as they
// need to fall: what is grown is factored anew.
void LocalSolver::grow(RegionSet& regions, const Patch& patch, const PartialSolver& solver, double edge_bound) const {
  RegionSet open(regions_);
  for (const std::int32_t node : patch.edge()) {
    if (largest_sum(solver, node) > 0.1 * reach_.tolerance) open.insert(regions_.of(patch.vertex_of(node)));
  }
  open.spread(0, static_cast<Index>(std::ceil(rings_down_to(reach_.tolerance / edge_bound))), 0);
  for (const std::int32_t region : open.list()) regions.insert(region);
}

// The columns of some landmarks of a patch.  @return those of them whose columns lead out of it
std::vector<Index> LocalSolver::solve_on(const ExaminedPatch& examined, const std::vector<Index>& members, Index kept,
                                         std::vector<Column>& columns) const {
  std::unique_ptr<PartialSolver> solver = examined.solvers.take(*examined.patch);
  RegionSet near(regions_);
  std::vector<Index> left;
  for (std::size_t begin = 0; begin < members.size(); begin += lanes) {
    const auto group = std::span(members).subspan(begin, std::min<std::size_t>(lanes, members.size() - begin));
    if (solve_group(*examined.patch, *solver, group, kept, near, columns)) continue;
    left.insert(left.end(), group.begin(), group.end());
  }
  examined.solvers.put(std::move(solver));
  return left;
}

// The columns of up to `lanes` landmarks, in a neighbourhood of whole regions that is grown until all are inside that
// are next to a value that would be kept: beyond them values are less. False if that leads out of the patch.
bool LocalSolver::solve_group(const Patch& patch, PartialSolver& solver, std::span<const Index> group, Index kept,
                              RegionSet& near, std::vector<Column>& columns) const {
  std::vector<PartialSolver::Source> ends;
  near.clear();
  for (std::size_t lane = 0; lane < group.size(); ++lane) {
    const auto region = static_cast<std::int32_t>(group[lane]);
    near.insert(region);
    ends.push_back({patch.node_of_landmark(region), static_cast<int>(lane), 1.0});
  }
  near.spread(0, 1, reach_.vertices_around(group.size(), reach_.kept));
  solver.begin(ends, {});
  GroupLevels levels(group.size(), reach_.tolerance, kept);
  for (std::size_t known = 0; known < near.list().size();) {
    levels.add(patch, solver, std::span(near.list()).subspan(known));
    known = near.list().size();
    const auto least = levels.least();
    for (std::size_t k = 0; k < known; ++k) {
      if (levels.exceeds(k, least) && !look_beyond(patch, solver, levels, least, near.list()[k], near)) return false;
    }
  }
  solver.correct();
  append_columns(patch, solver, group, near, kept, columns);
  return true;
}

// Adds the regions that values of a region that are large have a term of M in common with: those within two edges, as
// what lies between may be a landmark or where the column crosses 0. False if that leads out of the patch.
bool LocalSolver::look_beyond(const Patch& patch, const PartialSolver& solver, const GroupLevels& levels,
                              const GroupLevels::Least& least, std::int32_t region, RegionSet& near) const {
  const auto inside = [&](std::int32_t other) { return near.contains(other) && patch.holds(other); };
  if (std::ranges::all_of(regions_.touching(region), [&](std::int32_t other) {
        return inside(other) && std::ranges::all_of(regions_.touching(other), inside);
      })) {
    return true;
  }
  const auto add = [&](std::int32_t node) { near.insert(regions_.of(patch.vertex_of(node))); };
  for (const std::int32_t node : patch.nodes_of(region)) {
    if (!levels.exceed(solver.at(node), least)) continue;
    if (patch.at_edge(node)) return false;
    for (const std::int32_t other : patch.neighbours_of(node)) {
      add(other);
      std::ranges::for_each(patch.neighbours_of(other), add);
    }
  }
  return true;
}

// The largest of what a group's columns are in a neighbourhood.
void LocalSolver::append_columns(const Patch& patch, const PartialSolver& solver, std::span<const Index> group,
                                 const RegionSet& near, Index kept, std::vector<Column>& columns) {
  NodeSet places(patch.nodes());
  for (const std::int32_t region : near.list()) {
    if (!patch.holds(region)) continue;
    for (const std::int32_t node : patch.nodes_of(region))
      places.insert(patch.places()[static_cast<std::size_t>(node)]);
  }
  std::vector<std::int32_t> unknowns, vertices;
  for (const std::int32_t place : places.ascending()) {
    unknowns.push_back(patch.node_at(place));
    vertices.push_back(patch.vertex_at(place));
  }
  const auto values = solver.values(unknowns);
  for (std::size_t lane = 0; lane < group.size(); ++lane) {
    columns.push_back(select_largest(group[lane], vertices, values[lane], kept));
  }
}

}  // namespace

std::unique_ptr<ColumnSolver> make_local_solver(const Execution& execution, const BiharmonicOperator& op,
                                                const std::vector<Index>& landmarks,
                                                const InterpolationParameters& parameters) {
  const Communicator& communicator = execution.communicator;
  const OperatorView view(op);
  LandmarkRegions regions(communicator, view, landmarks);
  // Cut by one rank: all have to work on the same patches.
  std::vector<Index> sizes, members;
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    for (const auto& patch : patches_of(regions, view.size, parameters)) {
      sizes.push_back(static_cast<Index>(patch.size()));
      members.insert(members.end(), patch.begin(), patch.end());
    }
  });
  communicator.broadcast(sizes, 0);
  communicator.broadcast(members, 0);
  std::vector<std::vector<Index>> patches;
  auto next = members.begin();
  for (const Index size : sizes) {
    patches.emplace_back(next, next + size);
    next += size;
  }
  return std::make_unique<LocalSolver>(view, static_cast<Index>(landmarks.size()), parameters, std::move(regions),
                                       std::move(patches));
}

}  // namespace cairn
