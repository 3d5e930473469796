// Solves with L_uu by a factor that each node holds.
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/approximation/biharmonic/harmonic/node_factor.hpp"
#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"

namespace cairn {

namespace {

constexpr std::uint64_t most_columns = 32;       // of a thread; powers of 2 fill tiles and CHOLMOD's blocks of four
constexpr Index block_entries = Index{1} << 22;  // of its right-hand sides: 32 MB, and twice as much inside CHOLMOD

class FactoredLaplacian final : public LaplacianSolver {
 public:
  FactoredLaplacian(const Execution& execution, const LaplacianRows& rows, const std::vector<Index>& landmarks,
                    Index memory)
      : communicator_(execution.communicator),
        threads_(execution.threads),
        size_(rows.size() - std::ssize(landmarks)),
        workspaces_(execution.threads) {
    if (size_ > 0) {
      factor_.emplace(
          communicator_, [&](double budget) { return matrix(rows.view(), landmarks, budget); }, memory);
    }
    collectively(communicator_, [&] {
      for (Index v = rows.range().begin; v < rows.range().end; ++v) {
        const bool fixed = std::ranges::binary_search(landmarks, v);
        (fixed ? fixed_ : unknowns_).push_back(v - rows.range().begin);
      }
    });
    counts_ = communicator_.all_gather_one(static_cast<Index>(unknowns_.size()));
  }

  void solve(MatrixView<double> columns) override;
  [[nodiscard]] Index width() const override { return factored_columns(size_) * threads_ * communicator_.size(); }
  [[nodiscard]] Index factor_entries() const override { return factor_ ? factor_->entries() : 0; }

 private:
  static LowerTriangle<SuiteSparse_long> matrix(const OperatorView& op, const std::vector<Index>& landmarks,
                                                double budget) {
    std::vector<std::int32_t> vertices, position(static_cast<std::size_t>(op.size), 0);
    for (const Index landmark : landmarks) position[landmark] = -1;
    double entries = 0.0;
    for (Index v = 0; v < op.size; ++v) {
      if (position[v] < 0) continue;
      position[v] = static_cast<std::int32_t>(vertices.size());
      vertices.push_back(static_cast<std::int32_t>(v));
      for (Index arc = op.starts[v]; arc < op.starts[v + 1]; ++arc) {
        entries += op.neighbors[arc] < v && position[op.neighbors[arc]] >= 0 ? 1.0 : 0.0;
      }
    }
    entries += static_cast<double>(vertices.size());
    NodeFactor::require_budget(std::ssize(vertices), 8.0 * entries, budget);  // the factor has at least as many
    return laplacian_submatrix<SuiteSparse_long>(op, vertices, position.data());
  }
  [[nodiscard]] Range share(Index columns, int rank) const {
    return {columns * rank / communicator_.size(), columns * (rank + 1) / communicator_.size()};
  }
  void take(MatrixView<double> columns, Range part, double* out) const;
  void give(MatrixView<double> columns, Range part, const double* values) const;
  void solve_own(std::span<double> values, Index columns);

  const Communicator& communicator_;
  int threads_;
  Index size_;                                     // number of unknowns
  std::optional<NodeFactor> factor_;               // unless there are none
  std::vector<Index> unknowns_, fixed_;            // places of own unknowns, and of own landmarks
  std::vector<Index> counts_;                      // of unknowns, by rank
  std::vector<NodeFactor::Workspace> workspaces_;  // by thread
  Buffer<double> whole_;                           // columns of this rank
  ReusedArrays<double> received_;
};

// Own unknowns of the columns in `part`, one column after the other, and back.
void FactoredLaplacian::take(MatrixView<double> columns, Range part, double* out) const {
  const auto size = std::ssize(unknowns_);
  for (Index i = 0; i < size; ++i) {
    const double* const row = columns.row(unknowns_[i]) + part.begin;
    for (Index k = 0; k < part.size(); ++k) out[k * size + i] = row[k];
  }
}

void FactoredLaplacian::give(MatrixView<double> columns, Range part, const double* values) const {
  const auto size = std::ssize(unknowns_);
  for (Index i = 0; i < size; ++i) {
    double* const row = columns.row(unknowns_[i]) + part.begin;
    for (Index k = 0; k < part.size(); ++k) row[k] = values[k * size + i];
  }
}

// Each rank gets whole columns, which it solves for, and their parts go back to the owners of the rows.
void FactoredLaplacian::solve(MatrixView<double> columns) {
  const Range mine = share(columns.columns, communicator_.rank());
  const bool alone = communicator_.size() == 1;
  std::vector<std::vector<double>> parts(counts_.size());
  collectively(communicator_, [&] {
    if (whole_.size() < size_ * mine.size()) whole_ = Buffer<double>(size_ * mine.size());
    if (alone) return take(columns, mine, whole_.data());
    for (int r = 0; r < communicator_.size(); ++r) {
      const Range theirs = share(columns.columns, r);
      parts[r].resize(unknowns_.size() * static_cast<std::size_t>(theirs.size()));
      take(columns, theirs, parts[r].data());
    }
  });
  if (!alone) communicator_.exchange(parts, received_);
  collectively(communicator_, [&] {
    for (Index r = 0, row = 0; !alone && r < std::ssize(parts); row += counts_[r], ++r) {
      for (Index k = 0; k < mine.size(); ++k)
        std::copy_n(received_[r].data() + k * counts_[r], counts_[r], whole_.data() + k * size_ + row);
    }
    solve_own(whole_.span().first(size_ * mine.size()), mine.size());
    for (Index r = 0, row = 0; !alone && r < std::ssize(parts); row += counts_[r], ++r) {
      parts[r].resize(counts_[r] * mine.size());
      for (Index k = 0; k < mine.size(); ++k)
        std::copy_n(whole_.data() + k * size_ + row, counts_[r], parts[r].data() + k * counts_[r]);
    }
  });
  for (const Index place : fixed_) std::fill_n(columns.row(place), columns.columns, 0.0);
  if (alone) {
    give(columns, mine, whole_.data());
  } else {
    communicator_.exchange(parts, received_);
    for (int r = 0; r < communicator_.size(); ++r) give(columns, share(columns.columns, r), received_[r].data());
  }
  Watchdog::beat();
}

void FactoredLaplacian::solve_own(std::span<double> values, Index columns) {
  if (size_ == 0 || columns == 0) return;
  const Index size = size_, width = std::min(factored_columns(size), (columns + threads_ - 1) / threads_);
  const Index blocks = (columns + width - 1) / width;
  const BlasThreads blas(threads_ > 1 ? 1 : threads_);  // blocks are assigned to threads
  std::optional<Error> error;
#pragma omp parallel for schedule(dynamic) num_threads(threads_) if (threads_ > 1)
  for (Index block = 0; block < blocks; ++block) {
    try {
      const Index begin = block * width, count = std::min(width, columns - begin);
      factor_->solve(values.subspan(begin * size, count * size), count, workspaces_[omp_get_thread_num()]);
      Watchdog::beat();
    } catch (...) {
#pragma omp critical(cairn_factored_laplacian)
      if (!error) error = current_error();
    }
  }
  if (error) throw Error(*error);
}

}  // namespace

Index factored_columns(Index unknowns) {
  const auto columns = static_cast<std::uint64_t>(block_entries / std::max<Index>(unknowns, 1));
  return static_cast<Index>(std::bit_floor(std::clamp<std::uint64_t>(columns, 1, most_columns)));
}

std::unique_ptr<LaplacianSolver> make_factored_laplacian(const Execution& execution, const LaplacianRows& rows,
                                                         const std::vector<Index>& landmarks, Index memory) {
  return std::make_unique<FactoredLaplacian>(execution, rows, landmarks, memory);
}

}  // namespace cairn
