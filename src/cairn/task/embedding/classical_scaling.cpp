#include "cairn/task/embedding/classical_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/approximation/near/near_values.hpp"
#include "cairn/approximation/near/vector_product.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/base/random.hpp"
#include "cairn/linalg/krylov/krylov_schur.hpp"

namespace cairn {

namespace {

// Measures the agreement of distances between coordinates with the distances of an approximation.

constexpr Index most_pairs = 100'000;  // of a batch on a rank

struct Pairs {
  std::vector<Index> first, second;
};

Pairs draw(std::uint64_t seed, Index objects, Range numbers) {
  const Random random(seed, Stream::probe);
  Pairs pairs;
  for (Index p = numbers.begin; p < numbers.end; ++p) {
    const auto address = static_cast<std::uint64_t>(p);
    const Index i = random.below(objects, address, 0);
    const Index j = random.below(objects - 1, address, 1);
    pairs.first.push_back(i);
    pairs.second.push_back(j < i ? j : j + 1);
  }
  return pairs;
}

// d_ij². Collective.
template <class T>
std::vector<double> squared_distances(const Execution& execution, const Approximation<T>& approximation,
                                      const NearEntries<T>* near, ScaledValues values, const Pairs& pairs) {
  std::vector<double> squares = entries_with_near(execution, approximation, near, pairs.first, pairs.second);
  if (values == ScaledValues::similarities) {
    const std::vector<double> first = entries_with_near(execution, approximation, near, pairs.first, pairs.first);
    const std::vector<double> second = entries_with_near(execution, approximation, near, pairs.second, pairs.second);
    for (std::size_t p = 0; p < squares.size(); ++p) squares[p] = first[p] + second[p] - 2.0 * squares[p];
  }
  for (double& square : squares) square = std::max(0.0, square);
  return squares;
}

// ‖y_i - y_j‖. Collective.
std::vector<double> distances(const Communicator& communicator, const RowBlock<double>& coordinates,
                              const Pairs& pairs) {
  const Buffer<double> first = fetch_rows(communicator, coordinates, pairs.first);
  const Buffer<double> second = fetch_rows(communicator, coordinates, pairs.second);
  const Index dimension = coordinates.columns();
  std::vector<double> result(pairs.first.size());
  for (Index p = 0; p < static_cast<Index>(result.size()); ++p) {
    double square = 0.0;
    for (Index k = p * dimension; k < (p + 1) * dimension; ++k) {
      square += (first[k] - second[k]) * (first[k] - second[k]);
    }
    result[p] = std::sqrt(square);
  }
  return result;
}

// The stress relative to the distances, sqrt(Σ (‖y_i - y_j‖ - d_ij)² / Σ d_ij²), over `pairs` pairs of different
// objects, drawn uniformly with replacement and addressed by (execution.seed, Stream::probe). [Kruskal 1964, in the
// form that divides by the given distances] d_ij is the root of K~_ij if K~_ij is a squared distance, else of
// K~_ii + K~_jj - 2 K~_ij; negative squares count as 0. Each rank takes a contiguous share of the pairs, in batches.
// Memory: 100,000 pairs per batch with 2 D + 20 doubles each, and that of approximate_entries.
// @param near  S, if K~ is L J Rᵀ + S, or null @param coordinates  n x D, distributed like the factors
// @return  0 if all distances are 0. Collective.
template <class T>
double distance_stress(const Execution& execution, const Approximation<T>& approximation, const NearEntries<T>* near,
                       ScaledValues values, const RowBlock<double>& coordinates, Index pairs) {
  const Communicator& communicator = execution.communicator;
  const Index begin = pairs * communicator.rank() / communicator.size();
  const Index end = pairs * (communicator.rank() + 1) / communicator.size();
  const Index batches = communicator.maximum((end - begin + most_pairs - 1) / most_pairs);
  std::array<double, 2> sums = {};
  for (Index batch = 0; batch < batches; ++batch) {
    const Index from = std::min(begin + batch * most_pairs, end);
    const Pairs drawn = draw(execution.seed, coordinates.rows(), {from, std::min(from + most_pairs, end)});
    const std::vector<double> given = squared_distances(execution, approximation, near, values, drawn);
    const std::vector<double> found = distances(communicator, coordinates, drawn);
    for (std::size_t p = 0; p < given.size(); ++p) {
      const double difference = found[p] - std::sqrt(given[p]);
      sums[0] += difference * difference;
      sums[1] += given[p];
    }
    Watchdog::beat();
  }
  communicator.sum(std::span<double>(sums));
  return sums[1] > 0.0 ? std::sqrt(sums[0] / sums[1]) : 0.0;
}

constexpr double tolerance = 1e-12;        // of residuals, relative to the norm of B
constexpr double rough = 1e-3;             // for the smallest eigenvalue, which is only printed
constexpr double zero_share = 1e-10;       // of the largest magnitude: eigenvalues up to this count as 0
constexpr Index diagonal_sample = 10'000;  // objects, for K~_ii that costs the square of a row of P
constexpr Index diagonal_batch = 1 << 16;  // diagonal entries that a rank requests at once

// Computes products with B.
template <class T>
class CentredProduct {
 public:
  CentredProduct(const Execution& execution, const Approximation<T>& approximation, const NearEntries<T>* near,
                 ScaledValues values)
      : communicator_(execution.communicator),
        approximation_(approximation),
        near_(near),
        product_(execution, approximation, near),
        rows_(approximation.left.rows()),
        own_(static_cast<std::size_t>(approximation.left.range().size())),
        transposed_(approximation.symmetric ? 0 : own_.size()),
        factor_(values == ScaledValues::squared_distances ? -0.5 : 1.0) {}

  // y = B x. Collective.
  void multiply(const double* x, double* y) {
    std::copy_n(x, own_.size(), own_.begin());
    centre(own_.data());
    multiply_values(own_.data(), y);
    centre(y);
    for (std::size_t i = 0; i < own_.size(); ++i) y[i] *= factor_;
  }

  // An estimate of the Frobenius norm: sqrt(n) ‖B x‖ / ‖x‖ for a normal x, unbiased in the mean square. Collective.
  double norm(std::uint64_t seed) {
    const Random random(seed, Stream::lanczos);
    const Range range = approximation_.left.range();
    std::vector<double> x(own_.size()), y(own_.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.normal(static_cast<std::uint64_t>(range.begin) + i);
    multiply(x.data(), y.data());
    std::array<double, 2> squares = {std::inner_product(x.begin(), x.end(), x.begin(), 0.0),
                                     std::inner_product(y.begin(), y.end(), y.begin(), 0.0)};
    communicator_.sum(std::span<double>(squares));
    return std::sqrt(static_cast<double>(rows_) * squares[1] / squares[0]);
  }

  // tr K~. Collective.
  double trace_of_values(const Execution& execution) const { return diagonal_sum(execution); }

  // tr B = factor (tr K~ - 1ᵀ K~ 1 / n). Collective.
  double trace(const Execution& execution) {
    std::vector<double> sums(own_.size());
    std::fill(own_.begin(), own_.end(), 1.0);
    multiply_values(own_.data(), sums.data());
    const double whole = communicator_.sum(std::accumulate(sums.begin(), sums.end(), 0.0));
    return factor_ * (diagonal_sum(execution) - whole / static_cast<double>(rows_));
  }

 private:
  // y = K~ x, or half of K~ x + K~ᵀ x if K~ is not symmetric.
  void multiply_values(const double* x, double* y) {
    product_.multiply(x, y);
    if (approximation_.symmetric) return;
    product_.multiply(x, transposed_.data(), true);
    for (std::size_t i = 0; i < transposed_.size(); ++i) y[i] = 0.5 * (y[i] + transposed_[i]);
  }

  void centre(double* x) const {
    const double mean = communicator_.sum(std::accumulate(x, x + own_.size(), 0.0)) / static_cast<double>(rows_);
    for (std::size_t i = 0; i < own_.size(); ++i) x[i] -= mean;
  }

  // Objects whose K~_ii this rank requests: its own, or its share of a sample.
  std::vector<Index> diagonal_share(const Execution& execution) const {
    const bool tiles = std::holds_alternative<TiledCore>(approximation_.core_matrix);
    if (tiles && rows_ > diagonal_sample) {
      const auto sample =
          sample_without_replacement(rows_, diagonal_sample, Random(execution.seed, Stream::validation_probe));
      const auto share = [&](int rank) { return sample.begin() + diagonal_sample * rank / communicator_.size(); };
      return {share(communicator_.rank()), share(communicator_.rank() + 1)};
    }
    std::vector<Index> own(own_.size());
    std::iota(own.begin(), own.end(), approximation_.left.range().begin);
    return own;
  }

  double diagonal_sum(const Execution& execution) const {
    const std::vector<Index> share = diagonal_share(execution);
    const auto count = static_cast<Index>(share.size());
    const Index batches = communicator_.maximum((count + diagonal_batch - 1) / diagonal_batch);
    double sum = 0.0;
    for (Index batch = 0; batch < batches; ++batch) {
      const Index begin = std::min(batch * diagonal_batch, count);
      const auto ids = std::span(share).subspan(begin, std::min(diagonal_batch, count - begin));
      const std::vector<double> values = entries_with_near(execution, approximation_, near_, ids, ids);
      sum = std::accumulate(values.begin(), values.end(), sum);
      Watchdog::beat();
    }
    return communicator_.sum(sum) * static_cast<double>(rows_) / static_cast<double>(communicator_.sum(count));
  }

  const Communicator& communicator_;
  const Approximation<T>& approximation_;
  const NearEntries<T>* near_;
  VectorProduct<T> product_;
  Index rows_;
  std::vector<double> own_, transposed_;
  double factor_;
};

// Subtracts the mean from the columns of a dense factor. The second round removes the rounding error of the first mean.
template <class T>
void centre_columns(const Communicator& communicator, Factor<T>& factor) {
  if (factor.is_sparse()) return;
  const MatrixView<T> rows = factor.dense().local();
  for (int round = 0; round < 2; ++round) {
    std::vector<double> means(rows.columns, 0.0);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index j = 0; j < rows.columns; ++j) means[j] += static_cast<double>(rows(i, j));
    }
    communicator.sum(std::span(means));
    for (double& mean : means) mean /= static_cast<double>(factor.rows());
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index j = 0; j < rows.columns; ++j) {
        rows(i, j) = static_cast<T>(static_cast<double>(rows(i, j)) - means[j]);
      }
    }
  }
}

const char* name_of(ScaledValues values) {
  return values == ScaledValues::squared_distances ? "squared distances" : "similarities";
}

void require_positive(const std::vector<double>& eigenvalues, double largest_magnitude, ScaledValues values) {
  const auto asked = static_cast<Index>(eigenvalues.size());
  const auto positive = std::count_if(eigenvalues.begin(), eigenvalues.end(),
                                      [&](double value) { return value > zero_share * largest_magnitude; });
  if (positive == asked) return;
  throw Error(ErrorKind::numeric,
              fmt::format("of the {} largest eigenvalues of the centred {} {} {} positive{}", asked, name_of(values),
                          positive == 0 ? "none" : std::to_string(positive), positive > 1 ? "are" : "is",
                          positive == 0
                              ? ": no coordinates fit them"
                              : fmt::format("; ask for {} dimension{} or fewer", positive, positive == 1 ? "" : "s")));
}

template <class T>
void check(const Approximation<T>& approximation, const ScalingParameters& parameters) {
  const Index n = approximation.left.rows();
  if (approximation.transform != Transform::none) {
    throw Error(ErrorKind::internal, "classical scaling takes L J R^T as it is, without a transform");
  }
  if (!approximation.symmetric && !approximation.symmetrize) {
    throw Error(ErrorKind::internal, "classical scaling takes a symmetric matrix, or the mean of both directions");
  }
  if (parameters.dimension < 1 || parameters.dimension >= n) {
    throw Error(ErrorKind::usage, fmt::format("{} objects have coordinates in 1 to {} dimensions; {} are asked for", n,
                                              n - 1, parameters.dimension));
  }
}

// Computes the eigenvalues, and unit vectors for the coordinates. Collective.
template <class T>
void find_eigenpairs(const Execution& execution, CentredProduct<T>& centred, const SymmetricOperator& product,
                     const ScalingParameters& parameters, ScaledObjects& result) {
  const auto phase = execution.phases.enter("eigenvalues");
  const double norm = centred.norm(execution.seed);
  if (norm == 0.0) {
    throw Error(ErrorKind::numeric,
                fmt::format("the centred {} are all 0: all objects are in one place", name_of(parameters.values)));
  }
  const EigenRequest most{.count = parameters.dimension, .tolerance = tolerance, .scale = norm, .seed = execution.seed};
  const EigenRequest least{
      .end = EigenRequest::End::smallest, .tolerance = rough, .scale = norm, .seed = execution.seed};
  EigenPairs pairs = extreme_eigenpairs(execution.communicator, product, most, "embedding");
  const EigenPairs last = extreme_eigenpairs(execution.communicator, product, least);
  result.smallest_eigenvalue = last.values.front();
  require_positive(pairs.values, std::max(pairs.values.front(), std::abs(last.values.front())), parameters.values);
  result.products = 1 + pairs.products + last.products;
  result.restarts = pairs.restarts;
  result.basis = pairs.basis;
  for (const double residual : pairs.residuals) result.residuals.push_back(residual / pairs.values.front());
  result.eigenvalues = std::move(pairs.values);
  result.coordinates = std::move(pairs.vectors);
}

}  // namespace

std::string ScaledObjects::cancellation(double uncentred_trace, bool single) const {
  const double roundoff = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  if (!(std::abs(trace) < std::sqrt(roundoff) * std::abs(uncentred_trace))) return {};
  return fmt::format(
      "centring leaves {:.1e} of the trace of the similarities ({:.3g} of {:.3g}): eigenvalues and coordinates are "
      "what "
      "rounding left of them, and the method may have dropped directions that are small beside the mean; subtract the "
      "mean of the points, or of the rows and columns of the matrix, before it is approximated",
      std::abs(trace / uncentred_trace), trace, uncentred_trace);
}

double ScaledObjects::trace_share() const {
  return std::accumulate(eigenvalues.begin(), eigenvalues.end(), 0.0) / trace;
}

template <class T>
double centre_similarities(const Execution& execution, Approximation<T>& approximation, const NearEntries<T>* near) {
  const auto phase = execution.phases.enter("trace");
  const double trace =
      CentredProduct<T>(execution, approximation, near, ScaledValues::similarities).trace_of_values(execution);
  centre_columns(execution.communicator, approximation.left);
  if (approximation.right) centre_columns(execution.communicator, *approximation.right);
  return trace;
}

template <class T>
ScaledObjects classical_scaling(const Execution& execution, const Approximation<T>& approximation,
                                const ScalingParameters& parameters, const NearEntries<T>* near) {
  check(approximation, parameters);
  CentredProduct<T> centred(execution, approximation, near, parameters.values);
  const SymmetricOperator product{approximation.left.partition(),
                                  [&](const double* x, double* y) { centred.multiply(x, y); }};
  ScaledObjects result;
  find_eigenpairs(execution, centred, product, parameters, result);
  const MatrixView<double> y = result.coordinates.local();
  for (Index i = 0; i < y.rows; ++i)
    for (Index j = 0; j < y.columns; ++j) y(i, j) *= std::sqrt(result.eigenvalues[j]);
  {
    const auto phase = execution.phases.enter("trace");
    result.trace = centred.trace(execution);
  }
  const auto phase = execution.phases.enter("stress");
  result.stress =
      distance_stress(execution, approximation, near, parameters.values, result.coordinates, parameters.pairs);
  result.pairs = parameters.pairs;
  return result;
}

template double centre_similarities(const Execution&, Approximation<float>&, const NearEntries<float>*);
template double centre_similarities(const Execution&, Approximation<double>&, const NearEntries<double>*);
template ScaledObjects classical_scaling(const Execution&, const Approximation<float>&, const ScalingParameters&,
                                         const NearEntries<float>*);
template ScaledObjects classical_scaling(const Execution&, const Approximation<double>&, const ScalingParameters&,
                                         const NearEntries<double>*);

}  // namespace cairn
