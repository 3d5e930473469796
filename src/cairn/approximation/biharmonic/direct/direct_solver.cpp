// Columns of P by one factor of all of M_uu.
#include <algorithm>
#include <cmath>

#include "cairn/approximation/biharmonic/column_selection.hpp"
#include "cairn/approximation/biharmonic/direct/node_factor.hpp"
#include "cairn/approximation/biharmonic/operator_view.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

constexpr Index most_columns = 64;               // of a tile
constexpr Index tile_entries = Index{1} << 24;   // of its results, where columns are kept whole: under 256 MB
constexpr Index block_entries = Index{1} << 25;  // of dense right-hand sides: 256 MB, and as much inside CHOLMOD

// The vertices that are no hard landmarks, and each vertex's place among them or -1. (4 bytes a vertex each, every
// rank.)
struct Unknowns {
  Unknowns(Index size, std::span<const Index> landmarks) : position(static_cast<std::size_t>(size), 0) {
    for (const Index landmark : landmarks) position[static_cast<std::size_t>(landmark)] = -1;
    vertices.reserve(position.size());
    for (std::size_t v = 0; v < position.size(); ++v) {
      if (position[v] < 0) continue;
      position[v] = static_cast<std::int32_t>(vertices.size());
      vertices.push_back(static_cast<std::int32_t>(v));
    }
  }
  std::vector<std::int32_t> position;
  std::vector<std::int32_t> vertices;
};

class DirectSolver final : public ColumnSolver {
 public:
  DirectSolver(const Execution& execution, const BiharmonicOperator& op, const std::vector<Index>& landmarks,
               const InterpolationParameters& parameters)
      : op_(op),
        landmarks_(landmarks),
        penalty_(parameters.soft_landmarks),
        unknowns_(op_.size, penalty_ > 0.0 ? std::span<const Index>{} : std::span(landmarks)),
        factor_(
            execution.communicator, [this](double room) { return matrix(room); }, parameters.memory) {
    const auto l = static_cast<Index>(landmarks.size());
    const Index column = parameters.p_row == 0 ? op_.size : std::min(op_.size, op_.size / l * parameters.p_row + 1);
    const Index width = std::clamp<Index>(tile_entries / std::max<Index>(column, 1), 1, most_columns);
    for (Index begin = 0; begin < l; begin += width) {
      std::vector<Index>& tile = tiles_.emplace_back();
      for (Index k = begin; k < std::min(begin + width, l); ++k) tile.push_back(k);
    }
    quality_.factor_entries = static_cast<double>(factor_.entries());
    // Each rank could fail alone.
    collectively(execution.communicator, [&] {
      NodeFactor::Workspace workspace;
      quality_.condition = factor_.condition_estimate(workspace);
    });
  }

  [[nodiscard]] const std::vector<std::vector<Index>>& tiles() const override { return tiles_; }
  [[nodiscard]] Index column_size() const override { return unknowns(); }

  [[nodiscard]] TileColumns solve(Index tile, Index kept) const override {
    const std::vector<Index>& members = tiles_[static_cast<std::size_t>(tile)];
    const auto width = std::min(members.size(), static_cast<std::size_t>(direct_solver_columns(unknowns())));
    TileColumns result;
    result.quality = quality_;
    result.sum_vertices = unknowns_.vertices;
    result.sums.assign(result.sum_vertices.size(), 0.0);
    NodeFactor::Workspace workspace;
    Solution solution(*this, width);
    for (std::size_t begin = 0; begin < members.size(); begin += width) {
      const std::size_t end = std::min(begin + width, members.size());
      solution.solve(std::span(members).subspan(begin, end - begin), workspace);
      for (std::size_t k = begin; k < end; ++k) {
        const auto column = solution.column(k - begin);
        for (std::size_t i = 0; i < column.size(); ++i) result.sums[i] += column[i];
        result.columns.push_back(select_largest(members[k], unknowns_.vertices, column, kept));
      }
    }
    return result;
  }

 private:
  // Dense columns of P, and what it takes to solve for them.
  class Solution {
   public:
    Solution(const DirectSolver& solver, std::size_t width)
        : solver_(solver),
          size_(static_cast<std::size_t>(solver.unknowns())),
          x_(size_ * width),
          right_hand_side_(size_ * width),
          extended_(static_cast<std::size_t>(solver.op_.size)),
          laplacian_(extended_.size()) {}

    // For some landmarks, each alone: x = -M_uu⁻¹ M_ub e_k, or p (M + p S Sᵀ)⁻¹ S e_k, corrected once.
    void solve(std::span<const Index> landmarks, NodeFactor::Workspace& workspace) {
      const std::size_t used = size_ * landmarks.size();
      std::fill_n(x_.begin(), used, 0.0);
      for (int pass = 0; pass < 2; ++pass) {  // the second one is the correction
        for (std::size_t k = 0; k < landmarks.size(); ++k) residual(k, landmarks[k]);
        solver_.factor_.solve(std::span(right_hand_side_).first(used), static_cast<Index>(landmarks.size()), workspace);
        for (std::size_t i = 0; i < used; ++i) x_[i] -= right_hand_side_[i];
      }
    }
    [[nodiscard]] std::span<const double> column(std::size_t k) const {
      return std::span(x_).subspan(k * size_, size_);
    }

   private:
    // (V-A)_uᵀ D⁻¹ ((V-A)_u x + (V-A)_b), b: e of a landmark, both products by V - A itself. Soft landmarks:
    // (V-A) D⁻¹ (V-A) x + p S (Sᵀ x - e).
    void residual(std::size_t k, Index landmark) {
      const OperatorView& op = solver_.op_;
      const auto& vertices = solver_.unknowns_.vertices;
      std::ranges::fill(extended_, 0.0);
      for (std::size_t i = 0; i < size_; ++i) extended_[static_cast<std::size_t>(vertices[i])] = x_[k * size_ + i];
      const auto& landmarks = solver_.landmarks_;
      const auto own = static_cast<std::size_t>(landmarks[static_cast<std::size_t>(landmark)]);
      const bool hard = solver_.penalty_ == 0.0;
      if (hard) extended_[own] = 1.0;
      for (Index v = 0; v < op.size; ++v) {
        laplacian_[static_cast<std::size_t>(v)] = op.inverse_mass(v) * row_of_laplacian(v, extended_);
      }
      for (std::size_t i = 0; i < size_; ++i) {
        right_hand_side_[k * size_ + i] = row_of_laplacian(vertices[i], laplacian_);
      }
      if (hard) return;
      double* const out = right_hand_side_.data() + k * size_;
      for (const Index v : landmarks) out[v] += solver_.penalty_ * extended_[static_cast<std::size_t>(v)];
      out[own] -= solver_.penalty_;
    }
    [[nodiscard]] double row_of_laplacian(Index v, const std::vector<double>& x) const {
      const OperatorView& op = solver_.op_;
      const double own = x[static_cast<std::size_t>(v)];
      double sum = 0.0;  // of differences: constants cancel before they are multiplied
      for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
        sum += op.weight(arc) * (own - x[static_cast<std::size_t>(op.neighbours[arc])]);
      }
      return sum;
    }

    const DirectSolver& solver_;
    std::size_t size_;
    std::vector<double> x_, right_hand_side_, extended_, laplacian_;
  };

  [[nodiscard]] Index unknowns() const { return static_cast<Index>(unknowns_.vertices.size()); }

  // M_uu, or M + p S Sᵀ. The diagonal is the first entry of a column.
  [[nodiscard]] LowerTriangle<std::int64_t> matrix(double room) const {
    // A matrix that does not fit is not to be made: its factor has as many entries at least.
    NodeFactor::require_room(unknowns(), estimated_entries(op_, unknowns_.vertices, unknowns_.position.data()), room);
    auto result = principal_submatrix<std::int64_t>(op_, unknowns_.vertices, unknowns_.position.data());
    if (penalty_ == 0.0) return result;
    for (const Index landmark : landmarks_) {
      result.values[static_cast<std::size_t>(result.starts[static_cast<std::size_t>(landmark)])] += penalty_;
    }
    result.norm += penalty_;
    return result;
  }

  OperatorView op_;
  const std::vector<Index>& landmarks_;
  double penalty_;  // of soft landmarks; 0: hard
  Unknowns unknowns_;
  NodeFactor factor_;
  std::vector<std::vector<Index>> tiles_;
  Quality quality_;
};

}  // namespace

Index direct_solver_columns(Index unknowns) {
  return std::clamp<Index>(block_entries / std::max<Index>(unknowns, 1), 1, most_columns);
}

std::unique_ptr<ColumnSolver> make_direct_solver(const Execution& execution, const BiharmonicOperator& op,
                                                 const std::vector<Index>& landmarks,
                                                 const InterpolationParameters& parameters) {
  return std::make_unique<DirectSolver>(execution, op, landmarks, parameters);
}

}  // namespace cairn
