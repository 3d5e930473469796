// Parameters and rules that several methods share.
#pragma once

#include "cairn/approximation/method.hpp"
#include "cairn/approximation/symmetric_core.hpp"

namespace cairn::method_parameters {

/// The threshold below which eigenvalues or singular values are dropped.
[[nodiscard]] Parameter tolerance();
/// Treatment of negative eigenvalues: kept or dropped.
[[nodiscard]] Parameter spectrum();
/// The size of a second sample. @param fallback  "2 s1"
[[nodiscard]] Parameter second_sample(const std::string& fallback);
[[nodiscard]] Parameter shift_factor();
[[nodiscard]] Parameter embedding();
[[nodiscard]] Parameter symmetrize_result();
/// The number of objects among which K determines the core matrix.
[[nodiscard]] Parameter core_rows();
/// The choice to keep the rows of L, or to evaluate them when they are needed.
[[nodiscard]] Parameter store_left();

/// The rule given by tolerance() and spectrum(), with the method's default if no tolerance is given.
template <class T>
[[nodiscard]] SpectrumRule spectrum_rule(const Values& values);
/// The value of tolerance(), or `fallback`.
[[nodiscard]] double tolerance_or(const Values& values, double fallback);

/// The second sample is a superset of the first: s1 <= s2 <= n; 2 s1 by default, n at most.
[[nodiscard]] Index superset_size(const Values& values, Index landmarks, Index objects);
/// @throws Error(usage) for a second sample that cannot be a superset of the first one
void check_superset(const Values& values, const ProblemShape& shape);
/// The value of core_rows(), n at most; without one, or with no more objects than landmarks, 0.
[[nodiscard]] Index core_rows_of(const Values& values, Index landmarks, Index objects);
/// @throws Error(usage) for a core of more objects than there are, of fewer than the landmarks, or where K comes by
/// rows
void check_core_rows(const Values& values, const ProblemShape& shape);
/// The value of store_left(); true for a method without it.
[[nodiscard]] bool stores_left(const Values& values);
/// @throws Error(usage) where rows of L that are not kept cannot be evaluated again: K comes by whole rows, or the
/// method uses them for more than their entries of K~
void check_store_left(const Values& values, const ProblemShape& shape);
/// The second sample is drawn independently: 1 <= s2 <= n; s1 by default.
[[nodiscard]] Index second_sample_size(const Values& values, Index landmarks);
/// @throws Error(usage) for a second sample larger than the data
void check_second_sample(const Values& values, const ProblemShape& shape);

/// Bytes per rank of the eigen-decomposition of a symmetric matrix, or of its Cholesky factor and that decomposition,
/// which follows if eigenvalues must be dropped after all.
[[nodiscard]] Index symmetric_core_bytes(Index order, int ranks, bool cholesky);
/// Bytes per rank of a singular value decomposition.
[[nodiscard]] Index singular_core_bytes(Index rows, Index columns, int ranks);

}  // namespace cairn::method_parameters
