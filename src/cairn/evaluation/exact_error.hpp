// Errors from whole rows of K, streamed in tiles.
#pragma once

#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/error/probe.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// ||K~ - K||_F / ||K||_F over whole rows of K, `rows` of them chosen uniformly without replacement
/// (Stream::evaluation_rows), or all where rows >= n: then exact, with standard error 0. The standard error is that of
/// a ratio between rows, with the finite-population factor (1 - rows / n). K is symmetric and is evaluated by columns;
/// where K~ is not (the CUR family) its columns are compared. `pairs` and `diagonal` of the estimate count entries.
///
/// Memory: K and K~ of up to 256 rows at once, fewer where they take more than 256 MiB on a rank.
/// @throws Error(usage) unless rows >= 2 (or n = 1), Error(numeric) if the rows of K are 0. Collective.
template <class T>
[[nodiscard]] ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                                            const Similarity<T>& similarity, const ObjectSet& objects, Index rows,
                                            const KeyNames& keys = {});

/// Rows of K that error_over_rows compares at once where entries are evaluated, and by source the rows that all ranks
/// compute at once, `batch` as SourceSimilarity says. Local.
[[nodiscard]] Index compared_rows(const RowPartition& partition, Index number_bytes);
[[nodiscard]] Index compared_source_rows(Index n, Index batch, int ranks, int threads);
/// What a rank sends of these, and what it receives, at a time.
inline constexpr Index travelling_row_bytes = Index{4} << 20;
/// Rows between which both directions are compared.
inline constexpr Index symmetric_error_rows = 1000;

/// The error by vertex: for every vertex of this rank's rows of the partition, sums over the compared rows i.
struct VertexErrors {
  std::vector<double> squared_error;  ///< Σ (K~ - K)_iv²
  std::vector<double> squared_norm;   ///< Σ K_iv²
  double factor = 1.0;                ///< of K and K~ before they were squared: squares of large values are none
};

/// The error between symmetric_error_rows compared rows at most, where K_ij is the mean of its values from i and j.
struct SymmetricError {
  Index rows = 0;                                 ///< between which it was measured
  double relative_squared_error = 0.0;            ///< K~ against the mean of both
  double one_sided_relative_squared_error = 0.0;  ///< K~ against the value from the row's own vertex
  double relative_asymmetry = 0.0;                ///< ||K - Kᵀ||_F / ||K||_F
};

/// Rows that an estimate without a fixed number compares at most.
[[nodiscard]] Index most_compared_rows(Index n);

/// What error_over_rows finds out on its way.
struct RowErrors {
  VertexErrors by_vertex;
  SymmetricError symmetric;
};

/// The same for a similarity that comes by source: rows of K by to_all, each on one rank, K~ by approximate_columns.
/// The paper's figure is relative_squared_error. Where values from i and from j differ (geodesics), K_ij is taken from
/// the row's own vertex i; `details` have the error against their mean beside it.     [Turek and Huth 2022, section 4]
/// Runs over rows through execution.ledger: a row's sums are its tile; with details all rows are computed.
///
/// Without effort.count rows: 64 of them, doubled until the standard error is below effort.precision of the estimate,
/// effort.seconds would not do for the next doubling, or 2^14 rows (or all) are compared.
///
/// Memory a rank: up to 256 MiB of rows of K (one row at least; less in the numbers of a PanelSource), as much of K~,
/// and 8 MiB of rows on their way; with details another 32 MB.
/// @param details  filled if it is given
/// @throws Error(usage) unless effort.count >= 2 (or n = 1) and the approximation is one of as many vertices;
/// Error(numeric)
///   where the rows of K are 0, or a value is missing or not finite (names both vertices). Collective.
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
