// The core step shared by Nystrom and SMS-Nystrom: the pseudo-inverse of a symmetric block of K.
#pragma once

#include <optional>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/linalg/dense/block_cyclic_matrix.hpp"
#include "cairn/parameters/key_names.hpp"

namespace cairn {

/// Rule for the eigenvalues of a core matrix that are kept.
struct SpectrumRule {
  double tolerance = -1.0;        ///< relative to the largest magnitude; negative: default_tolerance
  bool positive_only = false;     ///< keep no negative ones
  bool single_precision = false;  ///< of the similarities
  KeyNames keys{};                ///< name of the tolerance in messages
};

/// The default tolerance: the magnitude of the most negative eigenvalue over the largest magnitude, but at least
/// rounding (1e-10; single precision 1e-6) and at most 1e-3. If K is semidefinite up to noise, its negative eigenvalues
/// show the level of the noise, and positive ones below it are noise, too. The measurements are in
/// docs/method-nystrom.md.
/// @param eigenvalues  all of them, ascending
[[nodiscard]] double default_tolerance(const std::vector<double>& eigenvalues, bool single_precision);

/// Eigenvalues below this share of the largest are rounding errors: 1e-10, for similarities in single precision 1e-6.
[[nodiscard]] double rounding_tolerance(bool single_precision);

/// A⁺ in factored form, M diag(signs) Mᵀ.
struct SymmetricRoot {
  BlockCyclicMatrix map;                    ///< M, s x k
  std::vector<double> signs;                ///< k times 1 or -1; empty if all are 1
  std::optional<BlockCyclicMatrix> factor;  ///< F if M = F^(-T): C M is then solved for in place
};

/// A⁺ = M diag(signs) Mᵀ of a symmetric matrix, with M = F^(-T) from the Cholesky factor A = F Fᵀ if A is positive
/// definite and so well conditioned that nothing would be dropped, else M = Q_k |Λ_k|^(-1/2) from its
/// eigen-decomposition. Both give the same A⁺; only the second computes the spectrum. Sets rank, dropped_eigenvalues,
/// negative_eigenvalues and, in the second case, spectrum of `report`. `matrix` is consumed.
/// @throws Error(numeric) if no eigenvalue remains. Collective. Memory: 3 s² / ranks doubles and ScaLAPACK's workspace.
[[nodiscard]] SymmetricRoot pseudo_inverse_root(BlockCyclicMatrix matrix, const SpectrumRule& rule,
                                                MethodReport& report);

/// A⁺ itself, s x s, likewise: A⁻¹ from the Cholesky factor, or from the eigen-decomposition. @throws, collective and
/// memory as pseudo_inverse_root.
[[nodiscard]] BlockCyclicMatrix pseudo_inverse(BlockCyclicMatrix matrix, const SpectrumRule& rule,
                                               MethodReport& report);

/// A⁺ itself: M diag(signs) Mᵀ, s x s. Collective.
[[nodiscard]] BlockCyclicMatrix expand(const SymmetricRoot& root);

/// Adds the note that K is 0 as far as known. Local.
void note_of_zero(MethodReport& report);

/// True if all entries are 0. Collective.
template <class T>
[[nodiscard]] bool are_zero(const Communicator& communicator, const TallMatrix<T>& columns);

/// K~ = C J Cᵀ, J = M diag(signs) Mᵀ, as an approximation with the core matrix J, or as an embedding Z = C M with the
/// core matrix diag(signs).
/// @param landmarks  origin of the columns of C; its map is replaced
/// Collective.
template <class T>
[[nodiscard]] Approximation<T> join_root(const Execution& execution, TallMatrix<T> columns, SymmetricRoot root,
                                         bool embedding, FactorOrigin landmarks, MethodReport report);

/// The embedding Z = F Fᵀ(S) M with K~ = F Fᵀ: Z = F if M = F(S)^(-T), which takes no product.
/// @param factor  F @param matrix  A = SᵀKS @param landmarks  origin of the columns of K S; its map is replaced
/// Collective.
template <class T>
[[nodiscard]] Approximation<T> join_factor(const Execution& execution, RowBlock<T> factor, BlockCyclicMatrix matrix,
                                           const SpectrumRule& rule, FactorOrigin landmarks, MethodReport report);

/// join_root with J = A⁺; 0 if C is.
/// @param matrix  A
/// Collective.
template <class T>
[[nodiscard]] Approximation<T> join_symmetric(const Execution& execution, TallMatrix<T> columns,
                                              BlockCyclicMatrix matrix, const SpectrumRule& rule, bool embedding,
                                              FactorOrigin landmarks, MethodReport report);

}  // namespace cairn
