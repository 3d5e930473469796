#include "cairn/linalg/krylov/block_krylov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/progress.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/dense/local_eigen.hpp"
#include "cairn/linalg/krylov/krylov_basis.hpp"

namespace cairn {

namespace {

using detail::Small;
using detail::TallColumns;

constexpr int most_restarts = 100;
constexpr double first_share = 1.5;  // size of the basis at the first check, relative to the wanted pairs
constexpr double next_share = 1.5;   // most growth of the basis from one check to the next
constexpr double sooner = 0.5;       // of the vectors that residuals predict: they fall faster and faster
constexpr Index least_blocks = 20;   // in addition to the wanted pairs

// Ritz pairs of a basis, largest first.
struct Ritz {
  std::vector<double> values;
  Small vectors;                  // column-major
  Index kept = 0;                 // the wanted ones, and some more before a restart
  std::vector<double> residuals;  // of these
};

template <class T>
class BlockLanczos {
 public:
  BlockLanczos(const Communicator& communicator, const BlockOperator<T>& product, const BlockEigenRequest& request,
               Index basis)
      : communicator_(communicator),
        product_(product),
        request_(request),
        own_(product.partition.range(communicator.rank())),
        rows_(product.partition.rows()),
        block_(request.block),
        most_(basis),
        random_(request.seed, Stream::lanczos),
        grid_(std::make_shared<const ProcessGrid>(communicator)) {
    collectively(communicator, [&] {
      basis_ = TallColumns<T>(own_.size(), most_);
      next_ = TallColumns<T>(own_.size(), block_);
      factors_ = Buffer<T>(own_.size() * block_);
      products_by_row_ = Buffer<T>(own_.size() * block_);
      projected_.assign(most_ * most_, 0.0);
    });
    detail::fill_random(next_, 0, own_, random_, draws_);
    static_cast<void>(detail::orthonormalize(communicator_, next_, basis_, 0, own_, random_, draws_));
  }

  BlockEigenPairs<T> run(Progress& progress) {
    Index look_at = std::min(most_, std::max(static_cast<Index>(first_share * static_cast<double>(request_.count)),
                                             request_.count + 4 * block_));
    double before = 0;    // residual at the last check,
    Index at_before = 0;  // and the size of the basis then
    Index shown = 0;      // pairs that the progress line has counted
    for (;;) {
      while (size_ < look_at && !is_full()) step();
      Ritz ritz = solve();
      const double worst = *std::max_element(ritz.residuals.begin(), ritz.residuals.begin() + request_.count);
      const double wanted = request_.tolerance * magnitude_;
      if (worst <= wanted) return result(ritz);
      const Index done = std::count_if(ritz.residuals.begin(), ritz.residuals.begin() + request_.count,
                                       [&](double residual) { return residual <= wanted; });
      progress.advance(std::max<Index>(0, done - shown));
      shown = std::max(shown, done);
      if (is_full()) {
        restart(ritz);
        before = 0;
        look_at = most_;
        continue;
      }
      look_at = next_look(worst, wanted, before, at_before);
      before = worst;
      at_before = size_;
    }
  }

 private:
  // Residuals fall by a growing factor with every further vector. The next check comes no later than it would without a
  // prediction.
  [[nodiscard]] Index next_look(double worst, double wanted, double before, Index at_before) const {
    const auto farthest = static_cast<Index>(next_share * static_cast<double>(size_));
    Index next = farthest;
    if (before > worst && worst > 0) {
      const double a_vector = std::log(before / worst) / static_cast<double>(size_ - at_before);
      next = size_ + static_cast<Index>(sooner * std::log(worst / wanted) / a_vector);
    }
    return std::clamp(next, size_ + block_, std::max(size_ + block_, farthest));
  }

  // Appends the next block to the basis, and forms a new block from its product.
  void step() {
    const Index b = block_;
    for (Index j = 0; j < b; ++j) std::copy_n(next_.column(j), own_.size(), basis_.column(size_ + j));
    multiply(next_);
    products_ += b;
    const Index first = size_;
    size_ += b;
    // A product has components along this block and the one before only; after a restart, along all vectors kept. The
    // second pass removes what rounding leaves along the others.
    subtract_basis({first == restarted_at_ ? 0 : std::max<Index>(0, first - b), size_}, first);
    subtract_basis({0, size_}, first);
    for (Index j = first; j < size_; ++j) {
      for (Index i = 0; i < first; ++i) projected_[place(j, i)] = projected_[place(i, j)];
    }
    next_factor_ = detail::orthonormalize(communicator_, next_, basis_, size_, own_, random_, draws_);
    Watchdog::beat();
  }

  // Subtracts the components along some vectors of the basis from the product, and adds them to columns `first` on of
  // Vᵀ A V.
  void subtract_basis(Range vectors, Index first) {
    const Index b = block_, count = vectors.size();
    const T* from = basis_.column(vectors.begin);
    const Small inner = detail::inner_products(communicator_, from, count, next_.values.data(), b, own_.size());
    detail::add_product(from, count, inner, -1.0, next_.values.data(), b, own_.size());
    for (Index j = 0; j < b; ++j) {
      for (Index i = 0; i < count; ++i) projected_[place(vectors.begin + i, first + j)] += inner[j * count + i];
    }
  }

  [[nodiscard]] bool is_full() const { return size_ + block_ > most_; }
  [[nodiscard]] std::size_t place(Index i, Index j) const { return static_cast<std::size_t>(j * most_ + i); }

  // Replaces the columns of a block by A times them.
  void multiply(TallColumns<T>& columns) {
    const Index n = own_.size(), b = block_;
    for (Index j = 0; j < b; ++j) {
      for (Index i = 0; i < n; ++i) factors_[i * b + j] = columns.column(j)[i];
    }
    product_.multiply({factors_.data(), n, b}, {products_by_row_.data(), n, b});
    for (Index j = 0; j < b; ++j) {
      for (Index i = 0; i < n; ++i) columns.column(j)[i] = products_by_row_[i * b + j];
    }
  }

  // Residual of a Ritz vector s: norm of the product of the next block's factor and the last entries of s.
  [[nodiscard]] Ritz solve() {
    Ritz ritz;
    ritz.kept = std::min(size_, is_full() ? kept_at_restart() : request_.count);
    ritz.values.assign(ritz.kept, 0.0);
    ritz.vectors.assign(size_ * ritz.kept, 0.0);
    if (communicator_.size() == 1 || size_ <= request_.most_on_root) {
      solve_on_root(ritz);
    } else {
      solve_on_grid(ritz);
    }
    magnitude_ = std::max(magnitude_, std::abs(ritz.values.front()));
    for (Index j = 0; j < ritz.kept; ++j) ritz.residuals.push_back(residual(ritz, j));
    // Broadcast, since they decide how ranks continue, and each rank may have rounded them differently.
    communicator_.broadcast(std::span<double>(ritz.residuals), 0);
    return ritz;
  }

  [[nodiscard]] double projected(Index i, Index j) const {
    return 0.5 * (projected_[place(i, j)] + projected_[place(j, i)]);
  }

  // The wanted pairs only. The first check, on a small basis, also gives the most negative value, which has then
  // converged as well as the largest.
  void solve_on_root(Ritz& ritz) {
    collectively(communicator_, [&] {
      if (!communicator_.is_root()) return;
      Buffer<double> matrix(size_ * size_);
      const auto fill = [&] {
        for (Index j = 0; j < size_; ++j) {
          for (Index i = 0; i < size_; ++i) matrix[j * size_ + i] = projected(i, j);
        }
      };
      fill();
      if (magnitude_ == 0) {
        magnitude_ = std::abs(eigenvalues_in_place(size_, matrix.data()).front());
        fill();
      }
      std::vector<double> values = largest_eigen_in_place(size_, ritz.kept, matrix.data(), ritz.vectors.data());
      std::ranges::copy(values.rbegin(), values.rend(), ritz.values.begin());
      for (Index j = 0; 2 * j < ritz.kept - 1; ++j) {
        double* column = ritz.vectors.data() + j * size_;
        std::swap_ranges(column, column + size_, ritz.vectors.data() + (ritz.kept - 1 - j) * size_);
      }
    });
    communicator_.broadcast(std::span<double>(&magnitude_, 1), 0);
    communicator_.broadcast(std::span<double>(ritz.values), 0);
    communicator_.broadcast(std::span<double>(ritz.vectors), 0);
  }

  void solve_on_grid(Ritz& ritz) {
    BlockCyclicMatrix matrix(grid_, size_, size_);
    matrix.fill([&](Index i, Index j) { return projected(i, j); });
    SymmetricEigen eigen = eigen_symmetric(std::move(matrix));
    const Buffer<double> rows = replicate_columns(eigen.vectors, {size_ - ritz.kept, size_});
    for (Index j = 0; j < ritz.kept; ++j) {
      for (Index i = 0; i < size_; ++i) {
        ritz.vectors[j * size_ + i] = rows[i * ritz.kept + ritz.kept - 1 - j];
      }
    }
    std::copy_n(eigen.values.rbegin(), ritz.kept, ritz.values.begin());
    magnitude_ = std::max(magnitude_, std::abs(eigen.values.front()));
  }

  [[nodiscard]] double residual(const Ritz& ritz, Index j) const {
    const double* last = ritz.vectors.data() + (j + 1) * size_ - block_;
    double sum = 0;
    for (Index i = 0; i < block_; ++i) {
      double entry = 0;
      for (Index k = 0; k < block_; ++k) entry += next_factor_[k * block_ + i] * last[k];
      sum += entry * entry;
    }
    return std::sqrt(sum);
  }

  [[nodiscard]] Index kept_at_restart() const {
    return std::min(request_.count + (most_ - request_.count) / 4, most_ - block_);
  }

  // V S for the first `count` Ritz vectors.
  [[nodiscard]] TallColumns<T> ritz_vectors(const Ritz& ritz, Index count, Index budget) const {
    auto vectors = collectively(communicator_, [&] { return TallColumns<T>(own_.size(), budget); });
    std::fill_n(vectors.values.data(), own_.size() * count, T(0));
    const Small wanted(ritz.vectors.begin(), ritz.vectors.begin() + size_ * count);
    detail::add_product(basis_.values.data(), size_, wanted, 1.0, vectors.values.data(), count, own_.size());
    return vectors;
  }

  // Replaces the basis by its best Ritz vectors; the next block stays orthogonal to them.
  void restart(const Ritz& ritz) {
    if (++restarts_ > most_restarts) {
      throw Error(ErrorKind::numeric,
                  fmt::format("block Lanczos does not find {} eigenvalues to {:g} of the largest in {} restarts with a "
                              "search space of {}",
                              request_.count, request_.tolerance, most_restarts, most_));
    }
    basis_ = ritz_vectors(ritz, ritz.kept, most_);
    size_ = restarted_at_ = ritz.kept;
    std::ranges::fill(projected_, 0.0);
    for (Index j = 0; j < size_; ++j) projected_[place(j, j)] = ritz.values[j];
  }

  BlockEigenPairs<T> result(const Ritz& ritz) {
    const Index count = request_.count;
    TallColumns<T> vectors = ritz_vectors(ritz, count, count);
    BlockEigenPairs<T> pairs;
    pairs.values.assign(ritz.values.begin(), ritz.values.begin() + count);
    pairs.residuals.assign(ritz.residuals.begin(), ritz.residuals.begin() + count);
    pairs.magnitude = magnitude_;
    pairs.products = products_;
    pairs.basis = std::max(size_, restarts_ > 0 ? most_ : 0);
    pairs.restarts = restarts_;
    pairs.vectors =
        collectively(communicator_, [&] { return RowBlock<T>(product_.partition, communicator_.rank(), count); });
    for (Index j = 0; j < count; ++j) {
      for (Index i = 0; i < own_.size(); ++i) pairs.vectors.local()(i, j) = vectors.column(j)[i];
    }
    return pairs;
  }

  const Communicator& communicator_;
  const BlockOperator<T>& product_;
  const BlockEigenRequest& request_;
  Range own_;
  Index rows_;
  Index block_;
  Index most_;
  Random random_;
  std::shared_ptr<const ProcessGrid> grid_;
  TallColumns<T> basis_, next_;
  Buffer<T> factors_, products_by_row_;  // of a product, row-major
  Small projected_;                      // Vᵀ A V, leading dimension most_
  Small next_factor_;                    // R of the last product that was orthogonalized, next_ R
  Index size_ = 0;                       // vectors in the basis,
  Index restarted_at_ = 0;               // and just after the last restart
  double magnitude_ = 0;                 // of the largest Ritz value seen, of either sign
  Index products_ = 0, draws_ = 0;
  int restarts_ = 0;
};

// All pairs of a matrix no larger than a search space: its columns are the products with unit vectors.
template <class T>
BlockEigenPairs<T> by_decomposition(const Communicator& communicator, const BlockOperator<T>& product, Index count,
                                    Index block) {
  const Index n = product.partition.rows();
  const Range own = product.partition.range(communicator.rank());
  auto rows = collectively(communicator, [&] { return RowBlock<T>(product.partition, communicator.rank(), n); });
  for (Index first = 0; first < n; first += block) {
    const Index b = std::min(block, n - first);
    Buffer<T> x(own.size() * b), y(own.size() * b);
    std::fill_n(x.data(), x.size(), T(0));
    for (Index j = 0; j < b; ++j) {
      if (own.contains(first + j)) x[(first + j - own.begin) * b + j] = T(1);
    }
    product.multiply({x.data(), own.size(), b}, {y.data(), own.size(), b});
    for (Index i = 0; i < own.size(); ++i) std::copy_n(y.data() + i * b, b, rows.local().row(i) + first);
  }
  const auto grid = std::make_shared<const ProcessGrid>(communicator);
  SymmetricEigen eigen = eigen_symmetric(to_block_cyclic(grid, rows));
  BlockEigenPairs<T> pairs;
  std::vector<Index> keep;
  for (Index j = n - count; j < n; ++j) keep.push_back(j);
  const RowBlock<T> ascending =
      to_row_block<T>(scale_columns(eigen.vectors, keep, std::vector<double>(keep.size(), 1.0)), product.partition);
  pairs.vectors = RowBlock<T>(product.partition, communicator.rank(), count);
  for (Index i = 0; i < own.size(); ++i) {
    for (Index j = 0; j < count; ++j) pairs.vectors.local()(i, j) = ascending.local()(i, count - 1 - j);
  }
  pairs.values.assign(eigen.values.rbegin(), eigen.values.rbegin() + count);
  pairs.residuals.assign(count, 0.0);
  pairs.magnitude = std::max(std::abs(eigen.values.front()), std::abs(eigen.values.back()));
  pairs.products = n;
  pairs.basis = n;
  return pairs;
}

// In every column, makes the first of the nearly largest entries positive. Collective.
template <class T>
void fix_signs(const Communicator& communicator, RowBlock<T>& vectors) {
  constexpr double near = std::is_same_v<T, float> ? 1e-3 : 1e-6;
  struct First {
    Index row;
    double value;
  };
  const MatrixView<T> own = vectors.local();
  std::vector<double> largest(vectors.columns(), 0.0);
  for (Index i = 0; i < own.rows; ++i) {
    for (std::size_t j = 0; j < largest.size(); ++j) {
      largest[j] = std::max(largest[j], std::abs(static_cast<double>(own(i, static_cast<Index>(j)))));
    }
  }
  communicator.maximum(std::span<double>(largest));
  std::vector<First> first(largest.size(), {vectors.rows(), 0.0});
  for (Index i = own.rows - 1; i >= 0; --i) {
    for (std::size_t j = 0; j < largest.size(); ++j) {
      const auto value = static_cast<double>(own(i, static_cast<Index>(j)));
      if (std::abs(value) >= (1 - near) * largest[j]) first[j] = {vectors.range().begin + i, value};
    }
  }
  const std::vector<First> all = communicator.all_gather(first);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (First& mine = first[k % first.size()]; all[k].row < mine.row) mine = all[k];
  }
  for (Index i = 0; i < own.rows; ++i) {
    for (std::size_t j = 0; j < first.size(); ++j) {
      if (first[j].value < 0) own(i, static_cast<Index>(j)) *= T(-1);
    }
  }
}

}  // namespace

Index search_space(const BlockEigenRequest& request, Index rows) {
  const Index least = request.count + least_blocks * request.block;
  return std::min(rows, request.most_basis > 0 ? std::max(request.most_basis, request.count + 2 * request.block)
                                               : std::max(16 * request.count, least));
}

template <class T>
BlockEigenPairs<T> largest_eigenpairs(const Communicator& communicator, const BlockOperator<T>& product,
                                      const BlockEigenRequest& request, const std::string& progress) {
  const Index rows = product.partition.rows();
  if (request.count < 1 || request.count > rows || request.block < 1) {
    throw Error(ErrorKind::internal,
                fmt::format("{} eigenpairs of a matrix of {} rows are asked for", request.count, rows));
  }
  const BlasThreads threads(request.threads);
  const Index basis = search_space(request, rows);
  BlockEigenPairs<T> pairs;
  if (basis + request.block > rows) {
    pairs = by_decomposition(communicator, product, request.count, request.block);
  } else {
    Progress shown(progress, request.count, communicator.is_root() && !progress.empty(), "eigenpairs/s");
    pairs = BlockLanczos<T>(communicator, product, request, basis).run(shown);
  }
  fix_signs(communicator, pairs.vectors);
  return pairs;
}

template BlockEigenPairs<float> largest_eigenpairs(const Communicator&, const BlockOperator<float>&,
                                                   const BlockEigenRequest&, const std::string&);
template BlockEigenPairs<double> largest_eigenpairs(const Communicator&, const BlockOperator<double>&,
                                                    const BlockEigenRequest&, const std::string&);

}  // namespace cairn
