// Columns of P by conjugate gradients, all ranks on each column.
#include <algorithm>
#include <cmath>

#include "cairn/approximation/biharmonic/column_selection.hpp"
#include "cairn/approximation/biharmonic/iterative/interpolation_system.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"

namespace cairn {

namespace {

constexpr Index most_columns = 64;              // of a tile
constexpr Index tile_entries = Index{1} << 24;  // of a tile's results: under 256 MB

// An entry in transit to the rank that stores the column.
struct Arrival {
  std::int32_t vertex;
  std::int32_t column;  // in the tile
  double value;
};

class IterativeSolver final : public JointColumnSolver {
 public:
  IterativeSolver(const Execution& execution, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
                  const InterpolationParameters& parameters)
      : communicator_(execution.communicator),
        tolerance_(parameters.tolerance),
        unknowns_(op.size() - (parameters.soft_landmarks > 0.0 ? 0 : static_cast<Index>(landmarks.size()))),
        system_(communicator_, OperatorView(op), landmarks, parameters.preconditioner, parameters.soft_landmarks,
                parameters.keys) {
    const auto l = static_cast<Index>(landmarks.size());
    const Index column = std::min(op.size(), op.size() / l * parameters.p_row + 1);  // on the rank that stores it
    const Index width = parameters.whole_columns(l) ? 1 : std::clamp<Index>(tile_entries / column, 1, most_columns);
    for (Index begin = 0; begin < l; begin += width) {
      std::vector<Index>& tile = tiles_.emplace_back();
      for (Index k = begin; k < std::min(begin + width, l); ++k) tile.push_back(k);
    }
    for (Index v = system_.range().begin; v < system_.range().end; ++v) {
      if (!system_.is_fixed(v)) vertices_.push_back(static_cast<std::int32_t>(v));
    }
    quality_.condition = system_.condition_estimate(std::max(tolerance_, 1e-3));  // a rough value is enough
  }

  [[nodiscard]] const std::vector<std::vector<Index>>& tiles() const override { return tiles_; }
  [[nodiscard]] Index column_size() const override { return unknowns_; }

  [[nodiscard]] TileColumns solve(Index tile, Index kept, int owner) override {
    const std::vector<Index>& members = tiles_[tile];
    TileColumns result = unsolved();
    std::vector<std::vector<Arrival>> entries(communicator_.size());
    std::vector<double> norms;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::vector<double> values = solve_column(members[k], result.sums);
      norms.push_back(send(values, static_cast<std::int32_t>(k), kept, entries[owner]));
    }
    communicator_.sum(std::span<double>(norms));
    const auto received = communicator_.exchange(entries);
    if (communicator_.rank() == owner) result.columns = columns_of(members, received, norms, kept);
    return result;
  }

  [[nodiscard]] TileColumns solve_own_rows(Index tile) override {
    TileColumns result = unsolved();
    for (const Index landmark : tiles_[tile]) {
      const std::vector<double> values = solve_column(landmark, result.sums);
      result.columns.push_back(select_largest(landmark, vertices_, values, 0));
    }
    return result;
  }

  void describe(InterpolationReport& report) const override {
    report.iterations = system_.report().most;
    report.preconditioned_condition = system_.report().largest / system_.report().smallest;
  }

 private:
  // A tile's columns, still empty.
  [[nodiscard]] TileColumns unsolved() const {
    TileColumns result;
    result.quality = quality_;
    result.sum_vertices = vertices_;
    result.sums.assign(vertices_.size(), 0.0);
    return result;
  }

  // A column at own unknown vertices; also adds it to the sums.
  [[nodiscard]] std::vector<double> solve_column(Index landmark, std::vector<double>& sums) {
    const std::vector<double> all = system_.solve(std::span(&landmark, 1), tolerance_);
    std::vector<double> values;
    values.reserve(vertices_.size());
    for (const std::int32_t vertex : vertices_) {
      values.push_back(all[vertex - system_.range().begin]);
    }
    for (std::size_t k = 0; k < values.size(); ++k) sums[k] += values[k];
    return values;
  }

  // Packs the entries that may be among the `kept` (more than 0) largest of the whole column. @return squared 2-norm of
  // the own part
  [[nodiscard]] double send(const std::vector<double>& values, std::int32_t column, Index kept,
                            std::vector<Arrival>& entries) const {
    double square = 0.0;
    MagnitudeCounts counts;
    for (const double value : values) {
      square += value * value;
      counts.add(value);
    }
    counts.sum(communicator_);
    const double least = counts.at_least(kept);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::abs(values[k]) >= least && values[k] != 0.0) entries.push_back({vertices_[k], column, values[k]});
    }
    return square;
  }

  // Assembles the columns from the entries of all ranks; each list is ascending by column and vertex.
  [[nodiscard]] std::vector<Column> columns_of(const std::vector<Index>& members,
                                               const std::vector<std::vector<Arrival>>& received,
                                               const std::vector<double>& norms, Index kept) const {
    std::vector<Column> columns;
    std::vector<std::size_t> next(received.size(), 0);
    for (std::size_t k = 0; k < members.size(); ++k) {
      std::vector<std::int32_t> vertices;
      std::vector<double> values;
      for (std::size_t rank = 0; rank < received.size(); ++rank) {
        for (auto& place = next[rank]; place < received[rank].size(); ++place) {
          const Arrival& arrival = received[rank][place];
          if (static_cast<std::size_t>(arrival.column) != k) break;
          vertices.push_back(arrival.vertex);
          values.push_back(arrival.value);
        }
      }
      Column column = select_largest(members[k], vertices, values, kept);
      column.dropped += norms[k] - column.all;
      column.all = norms[k];
      columns.push_back(std::move(column));
    }
    return columns;
  }

  const Communicator& communicator_;
  double tolerance_;
  Index unknowns_;
  InterpolationSystem system_;
  std::vector<std::int32_t> vertices_;  // own, without hard landmarks
  std::vector<std::vector<Index>> tiles_;
  Quality quality_;
};

}  // namespace

std::unique_ptr<JointColumnSolver> make_iterative_solver(const Execution& execution, const BiharmonicOperator& op,
                                                         const std::vector<Index>& landmarks,
                                                         const InterpolationParameters& parameters) {
  return std::make_unique<IterativeSolver>(execution, op, landmarks, parameters);
}

}  // namespace cairn
