// Errors from whole rows of K, streamed in tiles.
#pragma once

#include <span>

#include "approximation/approximation.hpp"
#include "approximation/probe.hpp"

namespace cairn {

/// ||K~ - K||_F / ||K||_F over whole rows of K, `rows` of them chosen uniformly (Stream::evaluation_rows), or all where
/// rows >= n: then exact, with standard error 0. Rows are independent draws: the standard error is between rows, with the
/// finite-population factor (1 - rows / n). Never holds more than `batch` rows of K at once (n / ranks x batch each rank).
/// `pairs` and `diagonal` of the estimate count entries. Collective.
template <class T>
[[nodiscard]] ErrorEstimate error_over_rows(const Execution& execution, const Approximation<T>& approximation,
                                            const Similarity<T>& similarity, const ObjectSet& objects, Index rows);

/// Eigenvalues, ascending, of the principal submatrix of K on `count` objects drawn uniformly, each times n / count: an
/// estimate of K's spectrum. Collective.
template <class T>
[[nodiscard]] std::vector<double> sample_spectrum(const Execution& execution, const Similarity<T>& similarity,
                                                  const ObjectSet& objects, Index count);

}  // namespace cairn
