// One pass over the rows, and eigenvalues of the sums.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "cairn/approximation/symmetric_core.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/schedule/phases.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/task/regression/centers/center_solver.hpp"

namespace cairn {

namespace {

/// Share of lambda that rounding errors may have in a direction that is kept.
constexpr double share_of_rounding = 0.1;
/// The same for products in single precision to be chosen: their error is estimated from K_mm.
constexpr double share_for_single = 0.01;
constexpr double largest_condition = 1e14;

// Norm of the rounding errors in CᵀC: entries of the size of its largest, g, with independent errors of the unit
// roundoff of products. Those in single precision are of one tile, and add up as the root of their number.
double rounding_of_gram(double g, Index m, bool single, double tiles) {
  const double unit = single ? std::numeric_limits<float>::epsilon() / 2 : std::numeric_limits<double>::epsilon() / 2;
  return 2.0 * std::sqrt(static_cast<double>(m)) * unit * g / (single ? std::sqrt(std::max(1.0, tiles)) : 1.0);
}

double largest_diagonal(const BlockCyclicMatrix& matrix) {
  double largest = 0.0;
  for (Index j = 0; j < matrix.local_columns(); ++j) {
    for (Index i = 0; i < matrix.local_rows(); ++i) {
      if (matrix.global_row(i) == matrix.global_column(j)) largest = std::max(largest, matrix.local(i, j));
    }
  }
  return matrix.grid().communicator().maximum(largest);
}

// Largest sum of squares of a column.
double largest_square(const BlockCyclicMatrix& matrix) {
  std::vector<double> sums(static_cast<std::size_t>(matrix.columns()), 0.0);
  for (Index j = 0; j < matrix.local_columns(); ++j) {
    for (Index i = 0; i < matrix.local_rows(); ++i) sums[matrix.global_column(j)] += std::pow(matrix.local(i, j), 2);
  }
  matrix.grid().communicator().sum(std::span(sums));
  return sums.empty() ? 0.0 : *std::ranges::max_element(sums);
}

void scale_rows_of(BlockCyclicMatrix& matrix, const std::vector<double>& scales) {
  for (Index j = 0; j < matrix.local_columns(); ++j) {
    for (Index i = 0; i < matrix.local_rows(); ++i) matrix.local(i, j) *= scales[matrix.global_row(i)];
  }
}

// K~ on the rows: coefficients are back (lambda + values)⁻¹ frontᵀ CᵀY.
struct SumsSpectrum {
  std::vector<double> values;
  BlockCyclicMatrix front, back;  // m x r
};

template <class T>
class DirectSystem final : public CenterSystem {
 public:
  DirectSystem(const Execution& execution, const CenterTiles<T>& tiles, const CenterRows& rows, double least)
      : execution_(execution),
        targets_(rows.targets),
        grid_(std::make_shared<const ProcessGrid>(execution.communicator)),
        centers_(decompose_centers(tiles, execution)) {
    rows_[0] = rows_[1] = 0;
    for (const char fold : rows.folds) ++rows_[static_cast<std::size_t>(fold)];
    execution.communicator.sum(std::span(rows_));
    const auto n = static_cast<double>(rows_[0] + rows_[1]);
    const Index m = tiles.size();
    if (!std::is_same_v<T, double>) {
      const double g = n * largest_column_square_ / static_cast<double>(m);
      const double errors = rounding_of_gram(g, m, true, n / static_cast<double>(CenterTiles<T>::gram_rows(m)));
      wide_ = errors / smallest_kept() > share_for_single * least;
    }
    gram_.emplace(tiles.gram(grid_, rows.rows, rows.folds, rows.fold_count, rows.view(), wide_));
  }

  std::vector<CenterSolution> solve(bool all_rows, const std::vector<double>& means,
                                    const std::vector<double>& lambdas) override {
    auto phase = execution_.phases.enter("solve");
    const BlockCyclicMatrix gram = sum_of_grams(all_rows);
    std::vector<double> right = gram_->folds.front().right;
    if (all_rows && gram_->folds.size() > 1) {
      for (std::size_t k = 0; k < right.size(); ++k) right[k] += gram_->folds[1].right[k];
    }
    const std::vector<double> sides = centered_sides(right, means);
    BlockCyclicMatrix b(grid_, gram.rows(), targets_);
    b.fill([&](Index i, Index t) { return sides[i * targets_ + t]; });
    const bool single = !std::is_same_v<T, double> && !wide_;
    const double errors =
        rounding_of_gram(largest_diagonal(gram), gram.rows(), single, static_cast<double>(gram_->tiles));
    const Index n = rows_[0] + (all_rows ? rows_[1] : 0);
    std::map<std::size_t, SumsSpectrum> spectra;  // by the number of directions
    std::vector<CenterSolution> solutions;
    for (const double lambda : lambdas) {
      CenterSolution solution;
      solution.candidate.lambda = lambda;
      const std::vector<Index> kept = kept_above(errors / (share_of_rounding * lambda));
      solution.candidate.left_out = std::ssize(kept_above(0.0)) - std::ssize(kept);
      if (kept.empty()) {
        solution.candidate.singular = true;
        solution.candidate.condition = INFINITY;
        solutions.push_back(std::move(solution));
        continue;
      }
      auto found = spectra.find(kept.size());
      if (found == spectra.end()) found = spectra.emplace(kept.size(), spectrum(gram, kept)).first;
      examine(found->second.values, n <= std::ssize(found->second.values), solution.candidate);
      if (!solution.candidate.singular) solution.coefficients = coefficients(found->second, b, lambda);
      solutions.push_back(std::move(solution));
    }
    if (!spectra.empty()) take_spectrum(spectra.rbegin()->second.values, n);
    return solutions;
  }

  void describe(CenterModel& model) const override {
    model.smallest_eigenvalue = smallest_;
    model.largest_eigenvalue = largest_;
    model.rank = rank_;
    model.negative_eigenvalues = negative_;
    model.wide_products = wide_;
  }

 private:
  SymmetricEigen decompose_centers(const CenterTiles<T>& tiles, const Execution& execution) {
    BlockCyclicMatrix among = tiles.among_centers(grid_);
    auto phase = execution.phases.enter("solve");
    largest_column_square_ = largest_square(among);
    return eigen_symmetric(std::move(among));
  }

  [[nodiscard]] double largest_magnitude_of_centers() const {
    const std::vector<double>& values = centers_.values;
    return std::max(std::abs(values.front()), std::abs(values.back()));
  }

  // Numbers of the eigenvalues of K_mm that are above rounding and `least`.
  [[nodiscard]] std::vector<Index> kept_above(double least) const {
    const std::vector<double>& values = centers_.values;
    const double rounding = default_tolerance(values, !std::is_same_v<T, double>) * largest_magnitude_of_centers();
    std::vector<Index> kept;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double size = std::abs(values[k]);
      if (size > rounding && size >= least) kept.push_back(static_cast<Index>(k));
    }
    return kept;
  }

  [[nodiscard]] double smallest_kept() const {
    double smallest = INFINITY;
    for (const Index k : kept_above(0.0)) smallest = std::min(smallest, std::abs(centers_.values[k]));
    return smallest;
  }

  [[nodiscard]] BlockCyclicMatrix sum_of_grams(bool all_rows) const {
    BlockCyclicMatrix sum = gram_->folds.front().gram.copy();
    if (!all_rows || gram_->folds.size() < 2) return sum;
    const BlockCyclicMatrix& other = gram_->folds[1].gram;
    for (Index j = 0; j < sum.local_columns(); ++j) {
      for (Index i = 0; i < sum.local_rows(); ++i) sum.local(i, j) += other.local(i, j);
    }
    return sum;
  }

  // As RidgeTrainer does it with features F = C M, of which only FᵀF = Mᵀ CᵀC M is known.
  SumsSpectrum spectrum(const BlockCyclicMatrix& gram, const std::vector<Index>& kept) const {
    std::vector<double> roots, signs;
    for (const Index k : kept) {
      roots.push_back(1.0 / std::sqrt(std::abs(centers_.values[k])));
      signs.push_back(centers_.values[k] < 0.0 ? -1.0 : 1.0);
    }
    const BlockCyclicMatrix map = scale_columns(centers_.vectors, kept, roots);
    SymmetricEigen features = eigen_symmetric(multiply(map, true, multiply(gram, false, map, false), false));
    if (std::ranges::find(signs, -1.0) == signs.end()) {
      BlockCyclicMatrix both = multiply(map, false, features.vectors, false);
      BlockCyclicMatrix again = both.copy();
      return {std::move(features.values), std::move(both), std::move(again)};
    }
    // FᵀF = H Hᵀ without its eigenvalues at rounding level; Hᵀ diag(signs) H has the eigenvalues of K~.
    const double least = std::numeric_limits<double>::epsilon() * static_cast<double>(kept.size()) *
                         std::max(0.0, features.values.back());
    std::vector<Index> above;
    std::vector<double> scales, inverses;
    for (std::size_t k = 0; k < features.values.size(); ++k) {
      if (features.values[k] <= least) continue;
      above.push_back(static_cast<Index>(k));
      scales.push_back(std::sqrt(features.values[k]));
      inverses.push_back(1.0 / scales.back());
    }
    const BlockCyclicMatrix root = scale_columns(features.vectors, above, scales);
    BlockCyclicMatrix signed_root = root.copy();
    scale_rows_of(signed_root, signs);
    SymmetricEigen eigen = eigen_symmetric(multiply(root, true, signed_root, false));
    const BlockCyclicMatrix inverse = scale_columns(features.vectors, above, inverses);
    BlockCyclicMatrix front = multiply(map, false, multiply(inverse, false, eigen.vectors, false), false);
    BlockCyclicMatrix back = multiply(map, false, multiply(signed_root, false, eigen.vectors, false), false);
    return {std::move(eigen.values), std::move(front), std::move(back)};
  }

  static void examine(const std::vector<double>& values, bool full, CenterCandidate& candidate) {
    const double lambda = candidate.lambda;
    double smallest = full ? INFINITY : lambda, largest = full ? 0.0 : lambda;
    for (const double value : values) {
      smallest = std::min(smallest, std::abs(lambda + value));
      largest = std::max(largest, std::abs(lambda + value));
      candidate.definite = candidate.definite && lambda + value > 0.0;
    }
    candidate.condition = smallest > 0.0 ? largest / smallest : INFINITY;
    candidate.singular = !(candidate.condition <= largest_condition);
    if (candidate.singular) return;
    for (const double value : values) candidate.degrees_of_freedom += value / (lambda + value);
  }

  [[nodiscard]] std::vector<double> coefficients(const SumsSpectrum& spectrum, const BlockCyclicMatrix& b,
                                                 double lambda) const {
    std::vector<double> inverses;
    for (const double value : spectrum.values) inverses.push_back(1.0 / (lambda + value));
    BlockCyclicMatrix rotated = multiply(spectrum.front, true, b, false);
    scale_rows_of(rotated, inverses);
    const BlockCyclicMatrix solution = multiply(spectrum.back, false, rotated, false);
    const Buffer<double> whole = replicate_columns(solution, {0, targets_});
    return {whole.data(), whole.data() + whole.size()};
  }

  void take_spectrum(const std::vector<double>& values, Index n) {
    const bool full = n <= std::ssize(values);
    double size = 0.0;
    for (const double value : values) size = std::max(size, std::abs(value));
    const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(values.size()) * size;
    smallest_ = full ? INFINITY : 0.0;
    largest_ = full ? -INFINITY : 0.0;
    rank_ = negative_ = 0;
    for (const double value : values) {
      smallest_ = std::min(smallest_, value);
      largest_ = std::max(largest_, value);
      if (std::abs(value) > rounding) ++rank_;
      if (value < -rounding) ++negative_;
    }
  }

  const Execution& execution_;
  Index targets_;
  std::shared_ptr<const ProcessGrid> grid_;
  double largest_column_square_ = 0.0;  // of K_mm
  SymmetricEigen centers_;              // K_mm
  bool wide_ = false;
  std::vector<Index> rows_ = {0, 0};  // of both folds
  std::optional<typename CenterTiles<T>::Gram> gram_;
  double smallest_ = 0.0, largest_ = 0.0;
  Index rank_ = 0, negative_ = 0;
};

}  // namespace

std::vector<double> centered_sides(const std::vector<double>& right, const std::vector<double>& means) {
  const std::size_t targets = means.size();
  std::vector<double> sides;
  for (std::size_t at = 0; at < right.size(); at += targets + 1) {
    for (std::size_t t = 0; t < targets; ++t) sides.push_back(right[at + t] - means[t] * right[at + targets]);
  }
  return sides;
}

template <class T>
std::unique_ptr<CenterSystem> make_direct_system(const Execution& execution, const CenterTiles<T>& tiles,
                                                 const CenterRows& rows, double least) {
  return std::make_unique<DirectSystem<T>>(execution, tiles, rows, least);
}

template std::unique_ptr<CenterSystem> make_direct_system(const Execution&, const CenterTiles<float>&,
                                                          const CenterRows&, double);
template std::unique_ptr<CenterSystem> make_direct_system(const Execution&, const CenterTiles<double>&,
                                                          const CenterRows&, double);

}  // namespace cairn
