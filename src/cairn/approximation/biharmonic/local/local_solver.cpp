// Columns of P by patches: the cost of a landmark depends on its neighborhood only.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/column_selection.hpp"
#include "cairn/approximation/biharmonic/landmark_regions.hpp"
#include "cairn/approximation/biharmonic/local/partial_solve.hpp"
#include "cairn/approximation/biharmonic/local/patch.hpp"
#include "cairn/approximation/biharmonic/local/patch_reach.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

// Magnitudes of some columns of P around their landmarks.

// Columns that are solved together, while the set of regions where they are known grows.
class GroupLevels {
 public:
  /// @param columns  at most `lanes` @param tolerance  values up to it are ignored @param kept  number of entries of a
  /// column that will be kept; 0: all
  GroupLevels(std::size_t columns, double tolerance, Index kept)
      : columns_(columns), tolerance_(tolerance), kept_(kept) {}

  /// Computes the columns on more regions; regions outside the patch are ignored.
  void add(const Patch& patch, PartialSolver& solver, std::span<const std::int32_t> regions);

  /// Per column: the threshold that a value must exceed for the search to continue next to it.
  using Least = std::array<double, lanes>;
  [[nodiscard]] Least least() const;
  /// True if a value exceeds it in the k-th region that was added.
  [[nodiscard]] bool exceeds(std::size_t k, const Least& least) const { return exceed(largest_[k].data(), least); }
  /// True if one of these values, one per column, exceeds it.
  [[nodiscard]] bool exceed(const double* values, const Least& least) const;

 private:
  std::size_t columns_;
  double tolerance_;
  Index kept_;
  std::array<MagnitudeCounts, lanes> counts_;
  std::vector<std::array<double, lanes>> largest_;  // by region
  std::vector<std::int32_t> wanted_;
};

constexpr double rim_share =
    0.3;  // of the smallest kept value: regions adjacent to a vertex below this share are not visited; with a larger
          // share, a column that crosses 0 there could rise again beyond

void GroupLevels::add(const Patch& patch, PartialSolver& solver, std::span<const std::int32_t> regions) {
  wanted_.clear();
  for (const std::int32_t region : regions) {
    if (!patch.holds(region)) continue;
    const auto nodes = patch.nodes_of(region);
    wanted_.insert(wanted_.end(), nodes.begin(), nodes.end());
  }
  solver.extend(wanted_);
  for (const std::int32_t region : regions) {
    std::array<double, lanes>& largest = largest_.emplace_back();
    if (!patch.holds(region)) continue;
    for (const std::int32_t node : patch.nodes_of(region)) {
      const double* const values = solver.at(node);
      for (std::size_t lane = 0; lane < columns_; ++lane) {
        counts_[lane].add(values[lane]);
        largest[lane] = std::max(largest[lane], std::abs(values[lane]));
      }
    }
  }
}

GroupLevels::Least GroupLevels::least() const {
  Least least{};
  for (std::size_t lane = 0; lane < columns_; ++lane) {
    const double smallest_kept = kept_ == 0 ? tolerance_ : counts_[lane].at_least(kept_);
    least[lane] = smallest_kept > 0.0 ? std::max(rim_share * smallest_kept, tolerance_) : 0.0;
  }
  return least;
}

bool GroupLevels::exceed(const double* values, const Least& least) const {
  bool exceeds = false;
  for (std::size_t lane = 0; lane < columns_; ++lane) exceeds = exceeds || std::abs(values[lane]) > least[lane];
  return exceeds;
}

constexpr Index tile_landmarks = 128;  // of a patch per tile: ranks may share a patch
constexpr double margin_growth = 1.6;  // for landmarks whose columns leave a patch
constexpr int row_sum_lane = 0, condition_lane = 1, first_sign_lane = 2;  // of an examination

// Bound of the columns at a node, from an examination.
double largest_sum(const PartialSolver& solver, std::int32_t node) {
  double largest = 0.0;
  for (int lane = first_sign_lane; lane < lanes; ++lane) largest = std::max(largest, std::abs(solver.at(node)[lane]));
  return largest;
}

// Unused solvers of a patch: their vectors have been touched, so that reuse needs no new memory pages.
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

// A patch on whose edge no column of the landmarks that it was made for exceeds the tolerance.
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
    const std::vector<Index>& members = tiles_[tile];
    const auto [patch, first] = places_[tile];
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
  // Location of a tile: its patch, and whether it is the first tile there.
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
  mutable Patches patches_;  // patches in use by tiles, and the last one
};

// The first thread that needs a patch makes it. It is freed when another patch is requested and no thread uses it any
// more.
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

// A patch around some landmarks, grown until none of their columns exceeds the tolerance at its edge.
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

// One solve on the whole patch. Its lanes: the sum over all `members`, for the row sums of P; ones as right-hand side,
// whose solution is as large as the norm of the inverse if the inverse is positive; and sums over `members` with random
// signs: at every vertex each of these is at least as large as the largest column with probability 1/2 or more, so that
// no column exceeds the maximum of six with probability 63/64.
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

// Adds rings to an examined patch where columns are too large (or nearly so) at its edge to be cut off, as many as the
// decay requires; the grown patch is factored anew.
void LocalSolver::grow(RegionSet& regions, const Patch& patch, const PartialSolver& solver, double edge_bound) const {
  RegionSet open(regions_);
  for (const std::int32_t node : patch.edge()) {
    if (largest_sum(solver, node) > 0.1 * reach_.tolerance) open.insert(regions_.of(patch.vertex_of(node)));
  }
  open.spread(0, static_cast<Index>(std::ceil(rings_down_to(reach_.tolerance / edge_bound))), 0);
  for (const std::int32_t region : open.list()) regions.insert(region);
}

// Computes the columns of some landmarks of a patch.  @return the landmarks whose columns leave the patch
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

// Computes the columns of up to `lanes` landmarks in a neighborhood of whole regions. It is grown until it contains all
// regions next to a value that would be kept; beyond it values are smaller. False if that leaves the patch.
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

// Adds the regions that are coupled by M to large values of a region: those within two edges, because the vertex
// between may be a landmark or a zero crossing of the column. False if that leaves the patch.
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
    for (const std::int32_t other : patch.neighbors_of(node)) {
      add(other);
      std::ranges::for_each(patch.neighbors_of(other), add);
    }
  }
  return true;
}

// Appends the largest entries of a group's columns in a neighborhood.
void LocalSolver::append_columns(const Patch& patch, const PartialSolver& solver, std::span<const Index> group,
                                 const RegionSet& near, Index kept, std::vector<Column>& columns) {
  NodeSet places(patch.nodes());
  for (const std::int32_t region : near.list()) {
    if (!patch.holds(region)) continue;
    for (const std::int32_t node : patch.nodes_of(region)) places.insert(patch.places()[node]);
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
  // One rank cuts the graph, because all ranks must work on the same patches.
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
