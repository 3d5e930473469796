// Errors from whole rows of K, streamed in tiles.
#pragma once

#include <vector>

#include "approximation/approximation.hpp"
#include "approximation/probe.hpp"

namespace cairn {

/// ||K~ - K||_F / ||K||_F over whole rows of K, `rows` of them chosen uniformly without replacement
/// (Stream::evaluation_rows), or all where rows >= n: then exact, with standard error 0. The standard error is that of
/// a ratio between rows, with the finite-population factor (1 - rows / n). K is symmetric and is evaluated by columns;
/// where K~ is not (the CUR family) its columns are compared. `pairs` and `diagonal` of the estimate count entries.
///
/// Memory: K and K~ of up to 256 rows at once, fewer where they take more than 256 MiB on a rank.
/// @throws Error(usage) unless rows >= 2 (or n = 1), Error(numeric) where the rows of K are 0. Collective.
template <class T>
[[nodiscard]] ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                                            const Similarity<T>& similarity, const ObjectSet& objects, Index rows);

/// Eigenvalues, ascending, of the principal submatrix of K on `count` objects drawn uniformly, each times n / count: an
/// estimate of K's spectrum. Memory: 4 count² / ranks doubles, and the objects of the sample on every rank.
/// @throws Error(usage) unless 1 <= count <= n. Collective.
template <class T>
[[nodiscard]] std::vector<double> sample_spectrum(const Execution& execution, const Similarity<T>& similarity,
                                                  const ObjectSet& objects, Index count);

}  // namespace cairn
