// Columns of P by one factorization of all of M_uu.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/approximation/biharmonic/column_selection.hpp"
#include "cairn/approximation/biharmonic/operator_view.hpp"
#include "cairn/approximation/biharmonic/solvers.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/node_array.hpp"
#include "cairn/base/process/free_memory.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/sparse/cholmod_factor.hpp"

namespace cairn {

namespace {

// A sparse Cholesky factor that the ranks of a node share.

// L Lᵀ of a sparse symmetric positive definite matrix by CHOLMOD (64-bit interface; the better of AMD and METIS
// orderings; simplicial or supernodal, whichever CHOLMOD finds faster). One rank of each node factors and copies the
// factor into shared memory; all ranks of the node solve with it.
class NodeFactor {
 public:
  /// @param matrix  called on one rank of each node, with the number of bytes that the factor may take
  /// @param memory  bytes that each rank of the node may take; 0: no limit
  /// @throws Error(numeric) if it is not positive definite, Error(resource) if twice the factor exceeds 80 % of the
  /// memory available on the node, or to its ranks. Collective. Memory: temporarily twice the factor.
  NodeFactor(const Communicator& communicator, const std::function<LowerTriangle<SuiteSparse_long>(double)>& matrix,
             Index memory = 0);

  /// @param entries  number of entries of the factor, or a lower bound
  /// @throws Error(resource) if twice the factor exceeds 80 % of `memory`. Local.
  static void require_budget(Index size, double entries, double memory);

  /// CHOLMOD's workspaces for solves, one per thread.
  class Workspace {
   public:
    Workspace();
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

   private:
    friend class NodeFactor;
    cholmod_common common_{};
    cholmod_dense *solution_ = nullptr, *permuted_ = nullptr, *extra_ = nullptr;
  };
  /// Replaces `columns` right-hand sides, stored one after another, by the solutions. Local, thread-safe.
  void solve(std::span<double> right_hand_sides, Index columns, Workspace& workspace) const;

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index entries() const { return entries_; }
  /// Condition number: the 1-norm of the matrix times an estimate (from below) of that of its inverse by Hager's
  /// method. [Higham, Accuracy and Stability of Numerical Algorithms, algorithm 15.1.]
  [[nodiscard]] double condition_estimate(Workspace& workspace) const;

 private:
  cholmod_factor factor_{};  // its arrays lie in memory_
  NodeArray<std::byte> memory_;
  Index size_ = 0, entries_ = 0;
  double norm_ = 0.0;
};

// The scalar fields of a factor, broadcast to the other ranks of the node.
struct Header {
  cholmod_factor factor;
  Index entries;
  double norm;
};

std::string operator_name(Index size) { return fmt::format("the biharmonic operator on {} vertices", size); }

constexpr const char* advice = "take more landmarks, or another solver";

// The arrays of a factor: the address of each pointer, and its size in bytes.
struct FactorArray {
  void** pointer;
  std::size_t bytes;
};

std::vector<FactorArray> arrays_of(cholmod_factor& f) {
  constexpr std::size_t word = 8;  // size of integers and values alike
  if (f.is_super != 0) {
    return {{&f.Perm, f.n * word},          {&f.super, (f.nsuper + 1) * word},
            {&f.pi, (f.nsuper + 1) * word}, {&f.px, (f.nsuper + 1) * word},
            {&f.s, f.ssize * word},         {&f.x, f.xsize * word}};
  }
  return {{&f.Perm, f.n * word},
          {&f.p, (f.n + 1) * word},
          {&f.nz, f.n * word},
          {&f.i, f.nzmax * word},
          {&f.x, f.nzmax * word}};
}

void NodeFactor::require_budget(Index size, double entries, double memory) {
  const double bytes = 16.0 * entries;
  if (2.0 * bytes <= 0.8 * memory) return;
  throw Error(ErrorKind::resource,
              fmt::format("the factor of the biharmonic operator on {} vertices would take {:.1f} GB, and as much "
                          "again while it is made, of the {:.1f} GB that it may take; use more landmarks or another "
                          "solver",
                          size, bytes / 1e9, memory / 1e9));
}

NodeFactor::Workspace::Workspace() {
  cholmod_l_start(&common_);
  common_.print = 0;
}

NodeFactor::Workspace::~Workspace() {
  cholmod_l_free_dense(&solution_, &common_);
  cholmod_l_free_dense(&permuted_, &common_);
  cholmod_l_free_dense(&extra_, &common_);
  cholmod_l_finish(&common_);
}

NodeFactor::NodeFactor(const Communicator& communicator,
                       const std::function<LowerTriangle<SuiteSparse_long>(double)>& matrix, Index memory) {
  const Communicator& node = communicator.node();
  const double allowed =
      memory == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(memory * node.size());
  std::unique_ptr<CholmodFactor<SuiteSparse_long>> own;
  Header header{};
  // The other ranks wait for the first rank of the node; its own grace period ends at the expected end of the
  // factorization.
  const Watchdog::Patience patience(node.is_root() ? 0.0 : Watchdog::longest_patience);
  collectively(communicator, [&] {
    if (!node.is_root()) return;
    const FreeMemory free = free_memory();
    const double budget = std::min(allowed, static_cast<double>(std::min(free.shared, free.own)));
    LowerTriangle<SuiteSparse_long> triangle = matrix(budget);
    const cholmod_sparse view = cholmod_view(triangle.starts, triangle.rows, triangle.values, StoredHalf::lower);
    own = std::make_unique<CholmodFactor<SuiteSparse_long>>(operator_name(static_cast<Index>(view.nrow)), advice);
    own->settings().final_ll = 1;
    own->analyze(view);
    require_budget(static_cast<Index>(view.nrow), own->entries(), budget);
    const auto entries = static_cast<Index>(own->entries());
    own->factorize(view);
    header = {own->factor(), entries, triangle.norm};
  });
  Index bytes = 0;
  if (own) {
    for (const FactorArray& array : arrays_of(own->factor())) bytes += static_cast<Index>(array.bytes);
  }
  node.broadcast(std::span(&header, 1), 0);
  node.broadcast(std::span(&bytes, 1), 0);
  memory_ = NodeArray<std::byte>(communicator, std::max<Index>(bytes, 1));
  factor_ = header.factor;
  factor_.ColCount = factor_.IPerm = factor_.next = factor_.prev = nullptr;
  entries_ = header.entries;
  norm_ = header.norm;
  size_ = static_cast<Index>(factor_.n);
  std::byte* place = memory_.writable().data();
  const auto targets = arrays_of(factor_);
  const auto sources = own ? arrays_of(own->factor()) : targets;
  for (std::size_t a = 0; a < targets.size(); ++a) {
    if (own && targets[a].bytes > 0) std::memcpy(place, *sources[a].pointer, targets[a].bytes);
    *targets[a].pointer = place;
    place += targets[a].bytes;
  }
  memory_.publish();
}

void NodeFactor::solve(std::span<double> right_hand_sides, Index columns, Workspace& workspace) const {
  cholmod_dense view{};
  view.nrow = view.d = static_cast<std::size_t>(size_);
  view.ncol = static_cast<std::size_t>(columns);
  view.nzmax = view.nrow * view.ncol;
  view.x = right_hand_sides.data();
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  cholmod_factor factor = factor_;  // a solve does not modify its arrays
  cholmod_l_solve2(CHOLMOD_A, &factor, &view, nullptr, &workspace.solution_, nullptr, &workspace.permuted_,
                   &workspace.extra_, &workspace.common_);
  require_cholmod_success(workspace.common_, operator_name(size_), advice);
  std::memcpy(right_hand_sides.data(), workspace.solution_->x, view.nzmax * sizeof(double));
}

double NodeFactor::condition_estimate(Workspace& workspace) const {
  const auto size = static_cast<std::size_t>(size_);
  if (size == 0) return 1.0;
  std::vector<double> x(size, 1.0 / static_cast<double>(size)), signs(size);
  double estimate = 0.0;
  for (int step = 0; step < 5; ++step) {
    solve(x, 1, workspace);
    double norm = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      norm += std::abs(x[i]);
      signs[i] = x[i] < 0.0 ? -1.0 : 1.0;
    }
    if (norm <= estimate) break;
    estimate = norm;
    solve(signs, 1, workspace);
    const auto largest = std::ranges::max_element(signs, {}, [](double v) { return std::abs(v); });
    const auto place = static_cast<std::size_t>(largest - signs.begin());
    std::ranges::fill(x, 0.0);
    x[place] = 1.0;
  }
  return norm_ * estimate;
}

constexpr Index most_columns = 64;               // of a tile
constexpr Index tile_entries = Index{1} << 24;   // of a tile's results if columns are kept whole: under 256 MB
constexpr Index block_entries = Index{1} << 25;  // of dense right-hand sides: 256 MB, and as much inside CHOLMOD

// The vertices that are not hard landmarks, and each vertex's position among them or -1. (4 bytes per vertex each, on
// every rank.)
struct Unknowns {
  Unknowns(Index size, std::span<const Index> landmarks) : position(static_cast<std::size_t>(size), 0) {
    for (const Index landmark : landmarks) position[landmark] = -1;
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
            execution.communicator, [this](double budget) { return matrix(budget); }, parameters.memory) {
    const auto l = static_cast<Index>(landmarks.size());
    const Index column = parameters.p_row == 0 ? op_.size : std::min(op_.size, op_.size / l * parameters.p_row + 1);
    const Index width = std::clamp<Index>(tile_entries / std::max<Index>(column, 1), 1, most_columns);
    for (Index begin = 0; begin < l; begin += width) {
      std::vector<Index>& tile = tiles_.emplace_back();
      for (Index k = begin; k < std::min(begin + width, l); ++k) tile.push_back(k);
    }
    quality_.factor_entries = static_cast<double>(factor_.entries());
    // Each rank may fail on its own.
    collectively(execution.communicator, [&] {
      NodeFactor::Workspace workspace;
      quality_.condition = factor_.condition_estimate(workspace);
    });
  }

  [[nodiscard]] const std::vector<std::vector<Index>>& tiles() const override { return tiles_; }
  [[nodiscard]] Index column_size() const override { return unknowns(); }

  [[nodiscard]] TileColumns solve(Index tile, Index kept) const override {
    const std::vector<Index>& members = tiles_[tile];
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
  // Dense columns of P, and the workspace to solve for them.
  class Solution {
   public:
    Solution(const DirectSolver& solver, std::size_t width)
        : solver_(solver),
          size_(static_cast<std::size_t>(solver.unknowns())),
          x_(size_ * width),
          right_hand_side_(size_ * width),
          extended_(static_cast<std::size_t>(solver.op_.size)),
          laplacian_(extended_.size()) {}

    // Solves for some landmarks, each on its own: x = -M_uu⁻¹ M_ub e_k, or p (M + p S Sᵀ)⁻¹ S e_k, with one correction.
    void solve(std::span<const Index> landmarks, NodeFactor::Workspace& workspace) {
      const std::size_t used = size_ * landmarks.size();
      std::fill_n(x_.begin(), used, 0.0);
      for (int pass = 0; pass < 2; ++pass) {  // the second pass is the correction
        for (std::size_t k = 0; k < landmarks.size(); ++k) residual(k, landmarks[k]);
        solver_.factor_.solve(std::span(right_hand_side_).first(used), static_cast<Index>(landmarks.size()), workspace);
        for (std::size_t i = 0; i < used; ++i) x_[i] -= right_hand_side_[i];
      }
    }
    [[nodiscard]] std::span<const double> column(std::size_t k) const {
      return std::span(x_).subspan(k * size_, size_);
    }

   private:
    // Residual (V-A)_uᵀ D⁻¹ ((V-A)_u x + (V-A)_b), b: e of a landmark, both products with V - A itself. Soft landmarks:
    // (V-A) D⁻¹ (V-A) x + p S (Sᵀ x - e).
    void residual(std::size_t k, Index landmark) {
      const OperatorView& op = solver_.op_;
      const auto& vertices = solver_.unknowns_.vertices;
      std::ranges::fill(extended_, 0.0);
      for (std::size_t i = 0; i < size_; ++i) extended_[vertices[i]] = x_[k * size_ + i];
      const auto& landmarks = solver_.landmarks_;
      const auto own = static_cast<std::size_t>(landmarks[landmark]);
      const bool hard = solver_.penalty_ == 0.0;
      if (hard) extended_[own] = 1.0;
      for (Index v = 0; v < op.size; ++v) {
        laplacian_[v] = op.inverse_mass(v) * row_of_laplacian(v, extended_);
      }
      for (std::size_t i = 0; i < size_; ++i) {
        right_hand_side_[k * size_ + i] = row_of_laplacian(vertices[i], laplacian_);
      }
      if (hard) return;
      double* const out = right_hand_side_.data() + k * size_;
      for (const Index v : landmarks) out[v] += solver_.penalty_ * extended_[v];
      out[own] -= solver_.penalty_;
    }
    [[nodiscard]] double row_of_laplacian(Index v, const std::vector<double>& x) const {
      const OperatorView& op = solver_.op_;
      const double own = x[v];
      double sum = 0.0;  // of differences: constants cancel before multiplication
      for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
        sum += op.weight(arc) * (own - x[op.neighbors[arc]]);
      }
      return sum;
    }

    const DirectSolver& solver_;
    std::size_t size_;
    std::vector<double> x_, right_hand_side_, extended_, laplacian_;
  };

  [[nodiscard]] Index unknowns() const { return static_cast<Index>(unknowns_.vertices.size()); }

  // M_uu, or M + p S Sᵀ. The diagonal is the first entry of a column.
  [[nodiscard]] LowerTriangle<SuiteSparse_long> matrix(double budget) const {
    // Do not build a matrix that does not fit: its factor has at least as many entries.
    NodeFactor::require_budget(unknowns(), estimated_entries(op_, unknowns_.vertices, unknowns_.position.data()),
                               budget);
    auto result = principal_submatrix<std::int64_t>(op_, unknowns_.vertices, unknowns_.position.data());
    if (penalty_ == 0.0) return result;
    for (const Index landmark : landmarks_) {
      result.values[result.starts[landmark]] += penalty_;
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
