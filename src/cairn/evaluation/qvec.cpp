#include "cairn/evaluation/qvec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/evaluation/word_rows.hpp"
#include "cairn/linalg/dense/local_blas.hpp"
#include "cairn/linalg/dense/local_singular.hpp"
#include "cairn/linalg/library_limits.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr Index fewest_words = 3;

// A column-major matrix.
struct Columns {
  Columns(Index row_count, Index column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}
  [[nodiscard]] std::span<double> column(Index j) { return values.span().subspan(j * rows, rows); }

  Index rows, columns;
  Buffer<double> values;
};

// Subtracts the mean and divides by the remaining length; 0 if all values are equal.
void center_and_scale(std::span<double> column) {
  const bool varies = std::any_of(column.begin(), column.end(), [&](double value) { return value != column.front(); });
  const double mean = std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
  double largest = 0.0;
  for (double& value : column) {
    value = varies ? value - mean : 0.0;
    largest = std::max(largest, std::abs(value));
  }
  if (!std::isfinite(mean) || !std::isfinite(largest)) {
    throw Error(ErrorKind::numeric, "a vector of a word or a feature holds a value that is not finite, or too large");
  }
  if (largest == 0.0) return;
  double squares = 0.0;
  for (double& value : column) {
    value /= largest;  // so that the square stays in the range of doubles
    squares += value * value;
  }
  for (double& value : column) value /= std::sqrt(squares);
}

// The columns of a row-major matrix, centered and scaled to unit length.
template <class T>
Columns columns_of(const Buffer<T>& values, Index rows, Index count) {
  Columns result(rows, count);
  for (Index j = 0; j < count; ++j) {
    const std::span<double> column = result.column(j);
    for (Index i = 0; i < rows; ++i) column[i] = static_cast<double>(values[i * count + j]);
    center_and_scale(column);
  }
  return result;
}

// S for the chosen words.
Columns columns_of(const WordFeatures& features, const std::vector<std::size_t>& chosen) {
  Columns result(static_cast<Index>(chosen.size()), static_cast<Index>(features.names.size()));
  std::ranges::fill(result.values.span(), 0.0);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const auto& [feature, value] : features.words[chosen[i]].features) {
      result.column(static_cast<Index>(feature))[i] = value;
    }
  }
  for (Index j = 0; j < result.columns; ++j) center_and_scale(result.column(j));
  return result;
}

// AᵀB of column-major matrices of `rows` rows.
Columns product(const double* a, Index left, const double* b, Index right, Index rows) {
  Columns result(left, right);
  if (left == 0 || right == 0) return result;
  const int m = to_library_int(left, "columns of a matrix"), n = to_library_int(right, "columns of a matrix"),
            k = to_library_int(rows, "rows of a matrix");
  blas::gemm('T', 'N', m, n, k, 1.0, a, k, b, k, 0.0, result.values.data(), m);
  return result;
}

double aligned_sum(const Columns& vectors, const Columns& features) {
  Columns correlations =
      product(vectors.values.data(), vectors.columns, features.values.data(), features.columns, vectors.rows);
  std::vector<double> best(vectors.columns, 0.0);
  for (Index j = 0; j < features.columns; ++j) {
    const std::span<const double> column = correlations.column(j);
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], column[i]);
  }
  return std::accumulate(best.begin(), best.end(), 0.0);
}

// Number of columns of U that form a basis.
Index kept_columns(const std::vector<double>& singular, double tolerance) {
  return std::count_if(singular.begin(), singular.end(),
                       [&](double value) { return value > tolerance * singular.front(); });
}

// Computes the ranks of both and the first canonical correlation.
void correlate(Columns vectors, Columns features, double tolerance, QvecScores& scores) {
  const LocalSingular x = local_singular_values(vectors.rows, vectors.columns, vectors.values.data());
  const LocalSingular s = local_singular_values(features.rows, features.columns, features.values.data());
  scores.vector_rank = kept_columns(x.values, tolerance);
  scores.feature_rank = kept_columns(s.values, tolerance);
  if (scores.vector_rank == 0 || scores.feature_rank == 0) return;
  Columns both = product(x.u.data(), scores.vector_rank, s.u.data(), scores.feature_rank, vectors.rows);
  const LocalSingular joint = local_singular_values(both.rows, both.columns, both.values.data());
  scores.cca = std::min(1.0, joint.values.front());
}

// Seconds for three decompositions on one rank.
double longest_seconds(Index words, Index columns, Index features) {
  const auto n = static_cast<double>(words), k = static_cast<double>(columns), p = static_cast<double>(features);
  return silent_seconds(22.0 * (n * k * std::min(n, k) + n * p * std::min(n, p) + k * p * std::min(k, p)), 1);
}

}  // namespace

template <class T>
QvecScores qvec(const Communicator& communicator, const RowBlock<T>& vectors, std::span<const std::string> labels,
                const WordFeatures& features, double tolerance) {
  std::vector<std::string> words;
  for (const WordFeatures::Entry& entry : features.words) words.push_back(entry.word);
  const std::vector<LabelRows> found = find_labels(communicator, vectors.partition(), labels, words);
  std::vector<std::size_t> chosen;
  std::vector<Index> rows;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const Index row = single_row(found[w], words[w], fmt::format("{}:{}", features.path, features.words[w].line));
    if (row < 0) continue;
    chosen.push_back(w);
    rows.push_back(row);
  }
  QvecScores scores{.words = static_cast<Index>(chosen.size()),
                    .listed = static_cast<Index>(words.size()),
                    .features = static_cast<Index>(features.names.size())};
  if (scores.words < fewest_words) {
    throw Error(ErrorKind::input, fmt::format("{}: of its {} words {} are labels of rows; a correlation takes {}",
                                              features.path, grouped(scores.listed), scores.words, fewest_words));
  }
  if (!communicator.is_root()) rows.clear();
  const Buffer<T> values = fetch_rows(communicator, vectors, rows);
  const Watchdog::Patience patience(longest_seconds(scores.words, vectors.columns(), scores.features));
  collectively(communicator, [&] {
    if (!communicator.is_root()) return;
    Columns x = columns_of(values, scores.words, vectors.columns()), s = columns_of(features, chosen);
    scores.score = aligned_sum(x, s);
    correlate(std::move(x), std::move(s), tolerance, scores);
  });
  communicator.broadcast(std::span(&scores, 1), 0);
  return scores;
}

template QvecScores qvec(const Communicator&, const RowBlock<float>&, std::span<const std::string>, const WordFeatures&,
                         double);
template QvecScores qvec(const Communicator&, const RowBlock<double>&, std::span<const std::string>,
                         const WordFeatures&, double);

}  // namespace cairn
