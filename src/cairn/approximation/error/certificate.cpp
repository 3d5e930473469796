#include "cairn/approximation/error/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/error/entry_comparison.hpp"
#include "cairn/approximation/error/entry_draws.hpp"
#include "cairn/base/random.hpp"
#include "cairn/landmark/weighted_draws.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn {

namespace {

constexpr Index first_pairs_of_certificate = 1024;

// The sum over all i, j of A_ij B_ji.
double trace_of_product(const BlockCyclicMatrix& a, const BlockCyclicMatrix& b) {
  const BlockCyclicMatrix mirrored = transpose(b);
  double sum = 0.0;
  for (Index j = 0; j < a.local_columns(); ++j) {
    for (Index i = 0; i < a.local_rows(); ++i) sum += a.local(i, j) * mirrored.local(i, j);
  }
  return a.grid().communicator().sum(sum);
}

// Part `look` of a probability that is divided over any number of looks: 6 / (pi² (look + 1)²).
double part_of(double delta, Index look) {
  const auto k = static_cast<double>(look + 1);
  return delta * 6.0 / (std::numbers::pi * std::numbers::pi * k * k);
}

// Share of an entry that rounding in L J Lᵀ may add. J has the condition of SᵀKS, which is cut at 1e10 (1e6).
template <class T>
constexpr double rounding_in_factors = std::is_same_v<T, double> ? 1e-6 : 1e-4;

}  // namespace

template <class T>
double squared_norm(const Execution& execution, const Approximation<T>& approximation) {
  const auto* dense = std::get_if<DenseCore>(&approximation.core_matrix);
  BlockCyclicMatrix products =
      gram(dense != nullptr ? dense->matrix.shared_grid() : std::make_shared<const ProcessGrid>(execution.communicator),
           approximation.left.tall(), execution.threads);
  if (dense != nullptr) {
    products = multiply(dense->matrix, false, products, false);
  } else if (const auto* diagonal = std::get_if<DiagonalCore>(&approximation.core_matrix)) {
    for (Index j = 0; j < products.local_columns(); ++j) {
      for (Index i = 0; i < products.local_rows(); ++i) {
        products.local(i, j) *= diagonal->values[products.global_row(i)];
      }
    }
  }
  return std::max(0.0, trace_of_product(products, products));
}

template <class T>
std::vector<double> residual_bounds(const Execution& execution, const Approximation<T>& approximation,
                                    const RowBlock<T>& diagonal, double norm) {
  const double typical = norm / static_cast<double>(diagonal.rows());
  std::vector<Index> own(static_cast<std::size_t>(diagonal.range().size()));
  std::iota(own.begin(), own.end(), diagonal.range().begin);
  std::vector<double> bounds = approximate_entries(execution, approximation, std::span<const Index>(own), own);
  for (std::size_t a = 0; a < own.size(); ++a) {
    const auto exact = static_cast<double>(diagonal.row(own[a])[0]);
    bounds[a] = std::abs(exact - bounds[a]) + rounding_in_factors<T> * std::max(std::abs(exact), typical);
  }
  return bounds;
}

template <class T>
std::vector<double> residual_bounds(const RowBlock<T>& factor, std::span<const double> residual, double norm) {
  const double typical = norm / static_cast<double>(factor.rows());
  std::vector<double> bounds(residual.begin(), residual.end());
  for (std::size_t a = 0; a < bounds.size(); ++a) {
    double squares = 0.0;
    for (const T value : factor.row(factor.range().begin + static_cast<Index>(a))) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    bounds[a] += rounding_in_factors<T> * std::max(bounds[a] + squares, typical);
  }
  return bounds;
}

UpperLimitOfMean::UpperLimitOfMean(double delta) : doubt_(-std::log(delta)) {}

void UpperLimitOfMean::add(std::span<const double> batch) {
  // One number with the mean and the variance that a number is thought to have at first.
  constexpr double first_mean = 0.5, first_variance = 1.0 / 64.0;
  const auto n = static_cast<double>(values_.size());
  const double mean = (sum_ + first_mean) / (n + 1.0);
  const double squares = squares_ - mean * (2.0 * sum_ - n * mean);
  const double variance = std::max(0.0, squares) / (n + 1.0) + first_variance / (n + 1.0);
  values_.insert(values_.end(), batch.begin(), batch.end());
  batches_.push_back({values_.size(), std::sqrt(2.0 * doubt_ / (static_cast<double>(values_.size()) * variance))});
  for (const double x : batch) {
    sum_ += x;
    squares_ += x * x;
  }
}

double UpperLimitOfMean::deviation() const {
  const auto n = static_cast<double>(values_.size());
  return std::sqrt(std::max(0.0, squares_ / n - mean() * mean()) / n);
}

// Factors are multiplied in groups, so that few logarithms are taken: they are from 1/4 to 750, and 64 of them in
// range.
double UpperLimitOfMean::log_wealth(double mean) const {
  constexpr std::size_t group = 64;
  constexpr double most_stake = 0.75;  // times 1 / (1 - m), where the wealth could be 0
  double sum = 0.0;
  std::size_t k = 0;
  for (const Batch& batch : batches_) {
    const double stake = std::min(batch.stake, most_stake / (1.0 - mean)), start = 1.0 + stake * mean;
    while (k < batch.end) {
      const std::size_t end = std::min(batch.end, k + group);
      double product = 1.0;
      for (; k < end; ++k) product *= start - stake * values_[k];
      sum += std::log(product);
    }
  }
  return sum;
}

double UpperLimitOfMean::limit() const {
  constexpr double highest = 0.999;
  double low = mean(), high = highest;
  if (low >= high || log_wealth(high) < doubt_) return 1.0;
  constexpr double accuracy = 1e-3;  // of the distance from the mean; `high` is excluded
  while (high - low > accuracy * (high - mean())) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;  // the mean itself is excluded: these are no draws of one distribution
    (log_wealth(middle) >= doubt_ ? high : low) = middle;
  }
  return high;
}

template <class T>
Certificate certify(const Execution& execution, const CertifiedMatrix<T>& matrix, const Similarity<T>& similarity,
                    const ObjectSet& objects, const CertificateGoal& goal) {
  auto phase = execution.phases.enter("probe");
  const Communicator& communicator = execution.communicator;
  const RowPartition& partition = objects.partition();
  const Index before = similarity.evaluations();
  const std::vector<double>& bounds = matrix.bounds;
  const double norm = matrix.norm;
  std::vector<double> squares(bounds.size());
  std::ranges::transform(bounds, squares.begin(), [](double r) { return r * r; });
  const double trace = sum_of_weights(communicator, partition, bounds);
  const double on_diagonal = sum_of_weights(communicator, partition, squares);
  // Limits of the relative error for ||E||_F² = `squared_error`: ||K||_F is only known to be near ||K~||_F.
  const auto relative_to = [](double squared_error, double reference) {
    const double error = std::sqrt(squared_error);
    return error == 0.0 ? 0.0 : reference > 0.0 ? error / reference : std::numeric_limits<double>::infinity();
  };
  const auto at_most = [&](double squared_error) {
    return relative_to(squared_error, matrix.semidefinite ? norm : norm - std::sqrt(squared_error));
  };
  const auto at_least = [&](double squared_error) {
    return relative_to(squared_error, norm + std::sqrt(squared_error));
  };
  Certificate certificate;
  UpperLimitOfMean shares(part_of(goal.delta, goal.look));
  EntryComparison<T> comparison(execution, matrix.approximation, similarity, objects, objects);
  const Random random(execution.seed, Stream::certificate);
  for (Index look = 0;; ++look) {
    const Index count = std::min(first_pairs_of_certificate << look, std::max<Index>(2, goal.most));
    const Index more = count - certificate.pairs;
    // Each certificate has addresses of its own.
    const auto first =
        static_cast<std::uint64_t>(goal.look + 1) << 40U | static_cast<std::uint64_t>(certificate.pairs) * 2;
    EntryList places;
    const std::vector<Index> drawn = draw_by_weight(communicator, partition, bounds, 2 * more, random, first);
    for (std::size_t a = 0; a + 1 < drawn.size(); a += 2) {
      places.rows.push_back(drawn[a]);
      places.columns.push_back(drawn[a + 1]);
    }
    if (drawn.empty()) break;  // K and K~ are 0
    const std::vector<double> row_bounds = values_at(communicator, partition, bounds, places.rows);
    const std::vector<double> column_bounds = values_at(communicator, partition, bounds, places.columns);
    const auto compared = comparison.compare("certificate-" + std::to_string(goal.look) + "-" + std::to_string(look),
                                             shared_runs(communicator, places));
    std::vector<double> batch(compared.size(), 0.0);
    for (std::size_t a = 0; a < compared.size(); ++a) {
      if (places.rows[a] == places.columns[a]) continue;
      constexpr double noise = 1.0 + 1e-6;
      const double share = compared[a].error * compared[a].error / (row_bounds[a] * column_bounds[a]);
      if (share > noise) certificate.bounded = false;
      batch[a] = std::min(share, 1.0);
    }
    shares.add(batch);
    certificate.pairs = count;
    certificate.estimate = relative_to(on_diagonal + trace * trace * shares.mean(), norm);
    certificate.limit = at_most(on_diagonal + trace * trace * shares.limit());
    if (!certificate.bounded) certificate.limit = std::numeric_limits<double>::infinity();
    // More pairs narrow the limit, but not below the estimate: landmarks are of more use.
    const double lowest = at_least(on_diagonal + trace * trace * std::max(0.0, shares.mean() - shares.deviation()));
    if (!certificate.bounded || certificate.reaches(goal.error) || lowest > goal.error || count >= goal.most) break;
  }
  const Index evaluations = similarity.evaluations() - before;
  certificate.evaluations = communicator.sum(evaluations);
  phase.count_evaluations(evaluations);
  return certificate;
}

#define CAIRN_INSTANTIATE(T)                                                                                           \
  template double squared_norm(const Execution&, const Approximation<T>&);                                             \
  template std::vector<double> residual_bounds(const Execution&, const Approximation<T>&, const RowBlock<T>&, double); \
  template std::vector<double> residual_bounds(const RowBlock<T>&, std::span<const double>, double);                   \
  template Certificate certify(const Execution&, const CertifiedMatrix<T>&, const Similarity<T>&, const ObjectSet&,    \
                               const CertificateGoal&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
