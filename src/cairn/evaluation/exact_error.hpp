// Errors computed from complete rows of K, streamed in tiles.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// ||K~ - K||_F / ||K||_F over complete rows of K. `rows` rows are drawn uniformly without replacement
/// (Stream::evaluation_rows). If rows >= n, all rows are used, and the error is exact with standard error 0. The
/// standard error is that of a ratio between rows, with the finite-population factor (1 - rows / n). K is symmetric and
/// is evaluated by columns. If K~ is not symmetric (the CUR family), its columns are compared. `pairs` and `diagonal`
/// of the estimate are numbers of entries.
///
/// Memory: K and K~ of up to 256 rows at once, fewer if they take more than 256 MiB on a rank.
/// @throws Error(usage) unless rows >= 2 (or n = 1), Error(numeric) if the rows of K are 0. Collective.
template <class T>
[[nodiscard]] ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                                            const Similarity<T>& similarity, const ObjectSet& objects, Index rows,
                                            const KeyNames& keys = {});

/// Number of rows of K that error_over_rows compares at once if K is evaluated entry by entry, and number of rows that
/// all ranks compute at once for a SourceSimilarity with its `batch`. Local.
[[nodiscard]] Index compared_rows(const RowPartition& partition, Index number_bytes);
[[nodiscard]] Index compared_source_rows(Index n, Index batch, int ranks, int threads);
/// Bytes of these rows that a rank sends at a time, and that it receives.
inline constexpr Index travelling_row_bytes = Index{4} << 20;
/// Number of rows between which both directions are compared.
inline constexpr Index symmetric_error_rows = 1000;

/// The error by vertex: sums over the compared rows i, for each of this rank's vertices v.
struct VertexErrors {
  std::vector<double> squared_error;  ///< Σ (K~ - K)_iv²
  std::vector<double> squared_norm;   ///< Σ K_iv²
  double factor = 1.0;                ///< factor of K and K~ before squaring, which avoids overflow and underflow
};

/// The error between at most symmetric_error_rows compared rows, where K_ij is the mean of its values from i and j.
struct SymmetricError {
  Index rows = 0;                                 ///< number of rows used
  double relative_squared_error = 0.0;            ///< K~ against the mean of both values
  double one_sided_relative_squared_error = 0.0;  ///< K~ against the value from the row's own vertex
  double relative_asymmetry = 0.0;                ///< ||K - Kᵀ||_F / ||K||_F
};

/// Maximum number of rows compared by an estimate without a fixed number of rows: a `share` of the columns of L, but 64
/// at least and 2^14 at most, or all n. Local.
[[nodiscard]] Index most_compared_rows(Index n, Index factor_columns, double share);

/// Details that error_over_rows computes in addition.
struct RowErrors {
  VertexErrors by_vertex;
  SymmetricError symmetric;
};

/// error_over_rows for a SourceSimilarity. Rows of K are computed by to_all, each on one rank, and K~ by
/// approximate_columns. The metric of the paper is relative_squared_error. If values from i and from j differ
/// (geodesics), K_ij is taken from the row's own vertex i; `details` also have the error against their mean.
/// [Turek and Huth 2022, section 4]
/// Rows use execution.ledger: the tile of a row is its sums. With `details` all rows are computed.
///
/// Without effort.count the estimate starts with 64 rows and doubles their number until the standard error is below
/// effort.precision of the estimate, the next doubling would exceed effort.seconds, or most_compared_rows() are
/// compared.
///
/// Memory per rank: up to 256 MiB of rows of K (at least one row; less with the number type of a PanelSource), the same
/// for K~, and 8 MiB of rows in messages; with details another 32 MB.
/// @param details  filled unless null
/// @throws Error(usage) unless effort.count >= 2 (or n = 1) and the approximation has the same number of vertices;
///   Error(numeric) if the rows of K are 0, or a value is missing or not finite (names both vertices). Collective.
template <class T>
[[nodiscard]] ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                                            const SourceSimilarity& similarity, const EstimateEffort& effort,
                                            RowErrors* details = nullptr);

/// Eigenvalues, ascending, of the principal submatrix of K on `count` objects drawn uniformly, each times n / count: an
/// estimate of K's spectrum. Memory: 4 count² / ranks doubles, and the objects of the sample on every rank.
/// @throws Error(usage) unless 1 <= count <= n. Collective.
template <class T>
[[nodiscard]] std::vector<double> sample_spectrum(const Execution& execution, const Similarity<T>& similarity,
                                                  const ObjectSet& objects, Index count);

}  // namespace cairn
