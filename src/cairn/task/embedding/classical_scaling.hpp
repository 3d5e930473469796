// Coordinates for objects with known distances or similarities: classical multidimensional scaling.
#pragma once

#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/near/near_entries.hpp"
#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"

namespace cairn {

/// Meaning of the values of L J Rᵀ.
enum class ScaledValues {
  squared_distances,  ///< B = -1/2 H D2 H
  similarities        ///< B = H K H: kernel principal component analysis
};

struct ScalingParameters {
  Index dimension = 2;  ///< D
  ScaledValues values = ScaledValues::squared_distances;
  Index pairs = 10'000;  ///< number of random pairs of objects on which distances are compared
};

struct ScaledObjects {
  RowBlock<double> coordinates;      ///< Y, n x D
  std::vector<double> eigenvalues;   ///< of B, the D largest, descending, replicated
  std::vector<double> residuals;     ///< ‖B v - λ v‖ over the largest eigenvalue
  double trace = 0.0;                ///< of B; with tiles, the diagonal of K~ is sampled at 10,000 random objects
  double smallest_eigenvalue = 0.0;  ///< of B, to 1e-3 of its norm; measures how far the values are from Euclidean
  double stress = 0.0;               ///< sqrt(Σ (‖y_i - y_j‖ - d_ij)² / Σ d_ij²) over the pairs
  Index pairs = 0;                   ///< number of pairs drawn
  Index products = 0;                ///< number of products with B
  Index restarts = 0, basis = 0;     ///< of Krylov-Schur

  /// Sum of the eigenvalues found over the trace, which is the sum of all eigenvalues: above 1 if the negative ones
  /// outweigh the positive ones that are left out.
  [[nodiscard]] double trace_share() const;
  /// A warning if centering removes almost all of the similarities; empty if more than the root of the roundoff of K~
  /// remains. @param uncentred_trace  of K~ @param single  true if the factors are in single precision. Local.
  [[nodiscard]] std::string cancellation(double uncentred_trace, bool single) const;
};

/// Subtracts the mean from the columns of L and R, if they are dense: K~ becomes H K~ H, whose distances
/// d_ij² = K_ii + K_jj - 2 K_ij are the same, and the rounding errors of the mean do not affect the differences.
/// Returns the previous trace of K~ + S. Memory: that of the diagonal. Collective.
template <class T>
double centre_similarities(const Execution& execution, Approximation<T>& approximation,
                           const NearEntries<T>* near = nullptr);

/// Y = V Λ^(1/2) of the D largest eigenvalues of B = -1/2 H D2 H or H K H, H = I - 11ᵀ/n, with K~ = L J Rᵀ + S (or the
/// mean of it and its transpose, if it is not symmetric) for D2 or K. [Torgerson 1952; Gower 1966; for similarities
/// Schölkopf, Smola and Müller 1998] B is only used through its products: centering, VectorProduct, centering. Apply
/// centre_similarities first to similarities that may be far larger than their differences.
///
/// The signs of the columns are fixed as in extreme_eigenpairs. The start vector and the pairs come from
/// execution.seed, so that any number of ranks gives the same coordinates, to rounding, if the eigenvalues differ. All
/// copies of repeated eigenvalues are found; this takes one more search if D > 1, and one for every copy missed.
/// Eigenvalues up to 1e-10 times the largest magnitude in the spectrum count as 0. Distances of similarities are
/// d_ij² = K_ii + K_jj - 2 K_ij; the root of a negative square is 0.
/// Memory: that of extreme_eigenpairs, n x (max(2 D, D + 16) + D + 5) doubles over ranks, of VectorProduct, and of
/// distance_stress.
/// @param near  S; null: 0
/// @param approximation  with transform none: if the transform of a result is the root, L J Rᵀ holds the squared
/// distances; symmetric, or symmetrized
/// @throws Error(usage) unless 1 <= D < n, Error(numeric) if fewer than D eigenvalues are positive (the message gives
///   their number), Error(internal) for another approximation; what extreme_eigenpairs throws. Collective.
template <class T>
[[nodiscard]] ScaledObjects classical_scaling(const Execution& execution, const Approximation<T>& approximation,
                                              const ScalingParameters& parameters,
                                              const NearEntries<T>* near = nullptr);

}  // namespace cairn
