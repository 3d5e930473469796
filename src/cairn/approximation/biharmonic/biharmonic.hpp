// Biharmonic matrix approximation: K ~ P W Pᵀ.
#pragma once

#include <memory>

#include "cairn/approximation/approximation.hpp"
#include "cairn/approximation/biharmonic/interpolation.hpp"
#include "cairn/approximation/method.hpp"
#include "cairn/linalg/tiles/symmetric_tiles.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Parameters of the method.
struct BiharmonicParameters {
  InterpolationParameters interpolation;
  Transform transform = Transform::none;  ///< sqrt: W holds squared values; K~ is the root of P W Pᵀ
  TileStorage storage;                    ///< where W is stored; empty: in memory
  /// P is computed on the 2-core of the graph, which contains the landmarks, and the trees' vertices have the rows of
  /// their roots. Null: P is computed on all vertices.
  std::shared_ptr<const HangingTrees> trees{};
};

/// The solver that the values name, by its present name. Local.
[[nodiscard]] std::string solver_name(const Values& values);

/// The parameters of P among those of the method. Local.
[[nodiscard]] InterpolationParameters interpolation_parameters(const Values& values);

[[nodiscard]] const MethodDescriptor& biharmonic_method();

/// Bytes of the largest slab of rows of W that landmark_matrix computes at once, over all ranks; a plan counts it.
/// @param order  rows of a tile of W @param half  the similarity is symmetric by construction. Local.
[[nodiscard]] Index largest_landmark_slab(Index landmarks, Index order, Index number_bytes, bool half);

/// W: the values between landmarks.     [Turek and Huth 2022, equation 6]
///
/// Both entries of a pair are equal: the value from the later landmark, or, for a similarity that is not symmetric by
/// construction, the mean of both directions. Integers are stored as uint16 if none can be larger (bounded by twice the
/// eccentricity of a central landmark; a metric is assumed), else as uint32; others as float64, in single precision as
/// float32. Runs over bands of rows (SourceTraits::batch landmarks) through execution.ledger, in slabs of rows that go
/// to their tiles when they are finished: loops "landmark matrix 0", "landmark matrix 1", ... Takes l^2 evaluations or
/// fewer, and 4 l to choose the number type. Memory: half of l^2 numbers and 3 slabs (512 MB each) over all ranks, and
/// batch l doubles per thread; where `storage` keeps the tiles, those of one slab instead of all.
/// @param landmarks  the same on every rank, without repeats
/// @param exchanged  the matrix has two more rows and columns, zero except for a 1 in the last-but-one row of the last
/// column and its mirror; requires a similarity that is symmetric by construction
/// @throws Error(numeric) as the similarity, Error(resource). Collective.
[[nodiscard]] SymmetricTiles landmark_matrix(const Execution& execution, const SourceSimilarity& similarity,
                                             const std::vector<Index>& landmarks, bool single_precision = false,
                                             const TileStorage& storage = {}, bool exchanged = false);

/// K ~ g(P W Pᵀ), P from the biharmonic operator of the vertices, W = K (or K²) on the landmarks. [Turek and Huth 2022,
/// equations 4 to 6 and section 3.2]
///
/// P is sparse, W in tiles of the smallest number type that holds its values. The method's report names the solver and
/// why it was chosen; left_origin holds the landmarks' numbers. With trees, rows_over_trees defines L and J.
/// @param landmarks  distinct vertices, the same on every rank
/// @param report     filled in with the report of the interpolation operator
/// @throws Error(usage) for parameters out of range or a similarity whose number of vertices differs from the
///   operator's; as interpolation and landmark_matrix. Collective. Memory: as those; in single precision temporarily P
///   twice; with the transform W twice.
template <class T>
[[nodiscard]] Approximation<T> biharmonic(const Execution& execution, const BiharmonicOperator& op,
                                          const SourceSimilarity& similarity, const std::vector<Index>& landmarks,
                                          const BiharmonicParameters& parameters, InterpolationReport& report);

/// The same with a given P: only W is evaluated.
/// @param interpolation  P, one column per landmark @param parameters  those of P are ignored
/// @throws Error(usage) if P has a different number of rows than the similarity has vertices; as landmark_matrix.
/// Collective.
template <class T>
[[nodiscard]] Approximation<T> biharmonic(const Execution& execution, SparseRows<T> interpolation,
                                          const SourceSimilarity& similarity, const std::vector<Index>& landmarks,
                                          const BiharmonicParameters& parameters);

}  // namespace cairn
