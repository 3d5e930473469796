// One pass over the rows, and eigenvalues of the sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
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
/// Share of yᵀy below which yᵀ (I + K~ / lambda)⁻¹ y, a difference of sums, is no more than rounding.
constexpr double least_share = 1e-12, least_share_of_single = 1e-5;

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
  DirectSystem(const Execution& execution, const CenterTiles<T>& tiles, const CenterRows& rows, double least,
               bool variances)
      : execution_(execution),
        sides_(rows),
        targets_(rows.targets),
        variances_(variances),
        grid_(std::make_shared<const ProcessGrid>(execution.communicator)),
        centers_(decompose_centers(tiles, execution)) {
    if (variances) require_covariance();
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
      if (!solution.candidate.singular && variances_) {
        add_likelihoods(found->second, b, squares_of_sides(all_rows, means), n, solution.candidate);
        if (lambdas.size() == 1) solution.root = root_of(found->second, lambda);
      }
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
    BlockCyclicMatrix among(grid_, tiles.size(), tiles.size());
    tiles.fill_among_centers(among);
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

  // (Y - 1 meansᵀ)ᵀ (Y - 1 meansᵀ), its diagonal.
  [[nodiscard]] std::vector<double> squares_of_sides(bool all_rows, const std::vector<double>& means) const {
    std::vector<double> squares(means.size(), 0.0);
    for (std::size_t k = 0; k < sides_.rows.size(); ++k) {
      if (!all_rows && sides_.folds[k] != 0) continue;
      const double* const own = sides_.sides.data() + static_cast<Index>(k) * (targets_ + 1);
      for (std::size_t t = 0; t < means.size(); ++t) squares[t] += std::pow(own[t] - means[t], 2);
    }
    execution_.communicator.sum(std::span(squares));
    return squares;
  }

  // Of y ~ N(0, s (K~ + lambda I)) with s = yᵀ (K~ + lambda I)⁻¹ y / n, its most likely value.
  void add_likelihoods(const SumsSpectrum& spectrum, const BlockCyclicMatrix& b, const std::vector<double>& squares,
                       Index n, CenterCandidate& candidate) const {
    const double lambda = candidate.lambda;
    const auto count = static_cast<double>(n);
    const Buffer<double> rotated = replicate_columns(multiply(spectrum.front, true, b, false), {0, targets_});
    double log_determinant = count * std::log(lambda);
    for (const double value : spectrum.values) log_determinant += std::log1p(std::max(0.0, value) / lambda);
    for (Index t = 0; t < targets_; ++t) {
      double left = squares[t];  // lambda yᵀ (K~ + lambda I)⁻¹ y
      for (std::size_t k = 0; k < spectrum.values.size(); ++k) {
        const double part = rotated[static_cast<Index>(k) * targets_ + t];
        left -= part * part / (std::max(0.0, spectrum.values[k]) + lambda);
      }
      const double share = std::is_same_v<T, double> ? least_share : least_share_of_single;
      const double scale = left > share * squares[t] ? left / lambda / count : 0.0;
      candidate.scales.push_back(scale);
      candidate.log_likelihoods.push_back(
          scale > 0.0 ? -0.5 * (count * (std::log(2.0 * std::numbers::pi * scale) + 1.0) + log_determinant)
                      : -INFINITY);
    }
  }

  void require_covariance() const {
    if (std::ranges::none_of(kept_above(0.0), [&](Index k) { return centers_.values[k] < 0.0; })) return;
    throw Error(ErrorKind::numeric, fmt::format("K among the centers has the eigenvalue {:.6g}: variances need a "
                                                "positive semidefinite kernel",
                                                centers_.values.front()));
  }

  // K_mm⁺ - lambda (K_nmᵀ K_nm + lambda K_mm)⁺ = root rootᵀ: with B = front, Bᵀ K_nmᵀ K_nm B = Θ and B Bᵀ = K_mm⁺.
  [[nodiscard]] std::vector<double> root_of(const SumsSpectrum& spectrum, double lambda) const {
    std::vector<Index> kept;
    std::vector<double> roots;
    for (std::size_t k = 0; k < spectrum.values.size(); ++k) {
      if (!(spectrum.values[k] > 0.0)) continue;
      kept.push_back(static_cast<Index>(k));
      roots.push_back(std::sqrt(spectrum.values[k] / (spectrum.values[k] + lambda)));
    }
    const BlockCyclicMatrix root = scale_columns(spectrum.front, kept, roots);
    const Buffer<double> whole = replicate_columns(root, {0, root.columns()});
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
  const CenterRows& sides_;
  Index targets_;
  bool variances_;
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
                                                 const CenterRows& rows, double least, bool variances) {
  return std::make_unique<DirectSystem<T>>(execution, tiles, rows, least, variances);
}

template std::unique_ptr<CenterSystem> make_direct_system(const Execution&, const CenterTiles<float>&,
                                                          const CenterRows&, double, bool);
template std::unique_ptr<CenterSystem> make_direct_system(const Execution&, const CenterTiles<double>&,
                                                          const CenterRows&, double, bool);

}  // namespace cairn
