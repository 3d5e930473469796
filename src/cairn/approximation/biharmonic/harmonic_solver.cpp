// Columns of P in harmonic form, all ranks on each block of columns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "cairn/approximation/biharmonic/column_selection.hpp"
#include "cairn/approximation/biharmonic/harmonic/harmonic_form.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Tiles depend on sizes alone, so that a run can go on on other ranks. They are solved for in blocks.
constexpr Index most_columns = 64, most_whole_columns = 256;  // of a tile whose columns are on one rank, on all ranks
constexpr Index tile_entries = Index{1} << 22;                // of a tile's results on a rank: 50 MB

Index tile_columns(Index vertices, Index landmarks, const InterpolationParameters& parameters) {
  if (parameters.whole_columns(landmarks)) return most_whole_columns;
  const Index column = std::min(vertices, vertices / landmarks * parameters.p_row + 1);
  return std::clamp<Index>(tile_entries / column, 1, most_columns);
}

// ScaLAPACK counts the entries of a matrix on a rank in 32 bits.
void require_core_size(Index landmarks, int ranks) {
  const double most = std::numeric_limits<int>::max(), entries = static_cast<double>(landmarks) * landmarks;
  if (entries / ranks <= most) return;
  throw Error(ErrorKind::resource,
              fmt::format("matrices of {} landmarks have {:.1e} entries a rank, and ScaLAPACK counts to {:.1e}; take "
                          "more ranks, fewer landmarks or the solver local",
                          landmarks, entries / ranks, most));
}

// An entry in transit to the rank that stores the column.
struct Arrival {
  std::int32_t vertex;
  std::int32_t column;  // in the block
  double value;
};

class HarmonicSolver final : public JointColumnSolver {
 public:
  HarmonicSolver(const Execution& execution, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
                 const InterpolationParameters& parameters, bool factored)
      : execution_(execution),
        communicator_(execution.communicator),
        landmarks_(landmarks),
        ascending_(landmarks),
        penalty_(parameters.soft_landmarks),
        unknowns_(op.size() - (penalty_ > 0.0 ? 0 : std::ssize(landmarks))),
        rows_(communicator_, OperatorView(op), execution.threads) {
    const auto l = std::ssize(landmarks);
    require_core_size(l, communicator_.size());
    std::ranges::sort(ascending_);
    constexpr double tighter = 0.1;  // of a solve than of P
    solver_ = factored ? make_factored_laplacian(execution, rows_, ascending_, parameters.memory)
                       : make_petsc_laplacian(rows_, ascending_,
                                              {parameters.preconditioner, parameters.petsc_options,
                                               tighter * parameters.tolerance, parameters.keys});
    for (Index begin = 0, width = tile_columns(op.size(), l, parameters); begin < l; begin += width) {
      std::vector<Index>& tile = tiles_.emplace_back();
      for (Index k = begin; k < std::min(begin + width, l); ++k) tile.push_back(k);
    }
    collectively(communicator_, [&] {
      for (Index v = rows_.range().begin; v < rows_.range().end; ++v) {
        if (penalty_ > 0.0 || !std::ranges::binary_search(ascending_, v))
          vertices_.push_back(static_cast<std::int32_t>(v));
      }
    });
    quality_.condition = condition();
    quality_.factor_entries = static_cast<double>(solver_->factor_entries());
  }

  [[nodiscard]] const std::vector<std::vector<Index>>& tiles() const override { return tiles_; }
  [[nodiscard]] Index column_size() const override { return unknowns_; }

  void prepare() override {
    if (!form_) form_.emplace(execution_, rows_, *solver_, landmarks_, penalty_);
  }

  [[nodiscard]] TileColumns solve(Index tile, Index kept, int owner) override {
    const std::vector<Index>& members = tiles_[tile];
    TileColumns result = unsolved();
    for_each_block(members, result.sums, [&](std::size_t begin, std::size_t count, std::span<const double> values) {
      std::vector<std::vector<Arrival>> entries(communicator_.size());
      std::vector<MagnitudeCounts> counts(count);
      std::vector<double> norms;
      for (std::size_t k = 0; k < count; ++k) norms.push_back(count_magnitudes(own_part(values, k), counts[k]));
      for (MagnitudeCounts& all : counts) all.sum(communicator_);
      communicator_.sum(std::span<double>(norms));
      collectively(communicator_, [&] {
        for (std::size_t k = 0; k < count; ++k) {
          send(own_part(values, k), static_cast<std::int32_t>(k), counts[k].at_least(kept), entries[owner]);
        }
      });
      const auto received = communicator_.exchange(entries);
      collectively(communicator_, [&] {
        if (communicator_.rank() != owner) return;
        add_columns(std::span(members).subspan(begin, count), received, norms, kept, result.columns);
      });
    });
    return result;
  }

  [[nodiscard]] TileColumns solve_own_rows(Index tile, const std::function<void(const ColumnView&)>& take) override {
    TileColumns result = unsolved();
    const std::vector<Index>& members = tiles_[tile];
    for_each_block(members, result.sums, [&](std::size_t begin, std::size_t count, std::span<const double> values) {
      collectively(communicator_, [&] {
        for (std::size_t k = 0; k < count; ++k) take({members[begin + k], vertices_, own_part(values, k)});
      });
    });
    return result;
  }

  Index rehearse() override {
    const auto count = std::min(solver_->width(), std::ssize(tiles_.front()));
    const std::vector<Index> members(tiles_.front().begin(), tiles_.front().begin() + count);
    const auto rows = [&] {
      return collectively(communicator_, [&] {
        return RowBlock<double>(rows_.partition(), communicator_.rank(), std::ssize(members));
      });
    };
    RowBlock<double> ends = rows(), values = rows();
    std::ranges::fill(std::span(ends.local().data, static_cast<std::size_t>(ends.range().size()) * members.size()),
                      0.0);
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (ends.range().contains(landmarks_[members[k]])) ends.row(landmarks_[members[k]])[k] = 1.0;
    }
    rows_.multiply(std::as_const(ends).local(), values.local());
    const int solves = HarmonicForm::keeps_functions(std::ssize(landmarks_)) ? 2 : 4;
    for (int solve = 0; solve < solves; ++solve) solver_->solve(values.local());
    return count;
  }

  void describe(InterpolationReport& report) const override {
    report.iterations = described_.iterations;
    report.preconditioned_condition = described_.preconditioned_condition;
    if (report.largest_row_sum_error) {  // rows of H, and with them those of P, have been divided by their sums
      report.largest_row_sum_error =
          std::max(*report.largest_row_sum_error, described_.largest_row_sum_error.value_or(0.0));
    }
  }
  void release() override {
    solver_->describe(described_);
    if (form_) described_.largest_row_sum_error = form_->row_sum_error();
    form_.reset();
    solver_.reset();
  }

 private:
  // A tile's columns, still empty.
  [[nodiscard]] TileColumns unsolved() const {
    return collectively(communicator_, [&] {
      TileColumns result;
      result.quality = quality_;
      result.sum_vertices = vertices_;
      result.sums.assign(vertices_.size(), 0.0);
      return result;
    });
  }

  // ||L_uu||_1 ||L_uu⁻¹ 1||, which is the condition of an M-matrix, and less than it otherwise.
  [[nodiscard]] double condition() {
    auto ones =
        collectively(communicator_, [&] { return RowBlock<double>(rows_.partition(), communicator_.rank(), 1); });
    const OperatorView& op = rows_.view();
    double norm = 0.0, largest = 0.0;
    for (Index v = rows_.range().begin; v < rows_.range().end; ++v) {
      ones.row(v)[0] = 1.0;
      if (std::ranges::binary_search(ascending_, v)) continue;
      double sum = std::abs(op.degrees[v]);
      for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
        if (!std::ranges::binary_search(ascending_, op.neighbors[arc])) sum += std::abs(op.weight(arc));
      }
      norm = std::max(norm, sum);
    }
    solver_->solve(ones.local());
    for (Index v = rows_.range().begin; v < rows_.range().end; ++v)
      largest = std::max(largest, std::abs(ones.row(v)[0]));
    return communicator_.maximum(norm) * communicator_.maximum(largest);
  }

  // The k-th column of a block at own vertices.
  [[nodiscard]] std::span<const double> own_part(std::span<const double> block, std::size_t k) const {
    return block.subspan(k * vertices_.size(), vertices_.size());
  }

  // Calls visit(first position among the members, number of columns, their values) for as many columns as the solver
  // takes at once; also adds them to the sums. Collective, as `visit` may be.
  template <class Visit>
  void for_each_block(const std::vector<Index>& members, std::vector<double>& sums, Visit visit) {
    const auto width = static_cast<std::size_t>(solver_->width());
    for (std::size_t begin = 0; begin < members.size(); begin += width) {
      const std::size_t count = std::min(width, members.size() - begin);
      const auto first = members.begin() + static_cast<std::ptrdiff_t>(begin);
      const Buffer<double> values = own_columns({first, first + static_cast<std::ptrdiff_t>(count)}, sums);
      visit(begin, count, std::span<const double>(values.span()));
    }
  }

  // The columns at own vertices, one after the other; also adds them to the sums.
  [[nodiscard]] Buffer<double> own_columns(const std::vector<Index>& members, std::vector<double>& sums) {
    const RowBlock<double> columns = form_->columns(members);
    const std::size_t size = vertices_.size();
    auto values =
        collectively(communicator_, [&] { return Buffer<double>(std::ssize(members) * std::ssize(vertices_)); });
    for (std::size_t v = 0; v < size; ++v) {
      const auto row = columns.row(vertices_[v]);
      for (std::size_t k = 0; k < members.size(); ++k) {
        values.data()[k * size + v] = row[k];
        sums[v] += row[k];
      }
    }
    return values;
  }

  // @return squared 2-norm of the own part of a column
  [[nodiscard]] static double count_magnitudes(std::span<const double> values, MagnitudeCounts& counts) {
    double square = 0.0;
    for (const double value : values) {
      square += value * value;
      counts.add(value);
    }
    return square;
  }

  // Packs the entries of at least this magnitude.
  void send(std::span<const double> values, std::int32_t column, double least, std::vector<Arrival>& entries) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::abs(values[k]) >= least && values[k] != 0.0) entries.push_back({vertices_[k], column, values[k]});
    }
  }

  // Assembles columns from the entries of all ranks; each list is ascending by column and vertex.
  static void add_columns(std::span<const Index> members, const std::vector<std::vector<Arrival>>& received,
                          const std::vector<double>& norms, Index kept, std::vector<Column>& columns) {
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
  }

  const Execution& execution_;
  const Communicator& communicator_;
  const std::vector<Index>& landmarks_;
  std::vector<Index> ascending_;  // the landmarks
  double penalty_;
  Index unknowns_;
  LaplacianRows rows_;
  std::unique_ptr<LaplacianSolver> solver_;
  std::optional<HarmonicForm> form_;
  std::vector<std::int32_t> vertices_;  // own, without hard landmarks
  std::vector<std::vector<Index>> tiles_;
  Quality quality_;
  InterpolationReport described_;  // by the solver, at its end
};

}  // namespace

std::unique_ptr<JointColumnSolver> make_harmonic_solver(const Execution& execution, const BiharmonicOperator& op,
                                                        const std::vector<Index>& landmarks,
                                                        const InterpolationParameters& parameters, bool factored) {
  return std::make_unique<HarmonicSolver>(execution, op, landmarks, parameters, factored);
}

}  // namespace cairn
