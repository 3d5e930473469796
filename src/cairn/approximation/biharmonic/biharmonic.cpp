#include "cairn/approximation/biharmonic/biharmonic.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/approximation/tree_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

namespace {

// P in the precision of the result.
template <class T>
SparseRows<T> in_precision(const Communicator& communicator, SparseRows<double> rows) {
  if constexpr (std::is_same_v<T, double>) {
    return rows;
  } else {
    return collectively(communicator, [&] {
      return SparseRows<T>(rows.partition(), communicator.rank(), rows.columns(), rows.starts(), rows.indices(),
                           {rows.values().begin(), rows.values().end()});
    });
  }
}

// Number type of squares. Squares of 16-bit numbers fit into 32 bits; those of 32-bit numbers are exact up to 2^53,
// more than the square of any path.
TileNumber number_of_squares(TileNumber number) {
  if (number == TileNumber::uint16) return TileNumber::uint32;
  return number == TileNumber::float32 ? TileNumber::float32 : TileNumber::float64;
}

// W with squared values. Memory: temporarily both matrices.
SymmetricTiles squares_of(const Communicator& communicator, const SymmetricTiles& matrix, const TileStorage& storage) {
  SymmetricTiles squares =
      make_tiles(communicator, matrix.size(), matrix.order(), number_of_squares(matrix.number()), storage);
  collectively(communicator, [&] {
    for (Index tile = communicator.rank(); tile < matrix.tiles(); tile += communicator.size()) {
      const SymmetricTiles::Place at = matrix.place(tile);
      std::vector<double> values(at.rows.size() * at.columns.size());
      const MatrixView<double> view(values.data(), at.rows.size(), at.columns.size());
      matrix.load(tile, view);
      for (double& value : values) value *= value;
      squares.store(tile, {view.data, view.rows, view.columns});
    }
  });
  return squares;
}

void require_matching(Index vertices, const SourceSimilarity& similarity) {
  if (vertices == similarity.size()) return;
  throw Error(ErrorKind::usage, fmt::format("the operator is one of {} vertices, and {} is defined on {}", vertices,
                                            similarity.traits().name, similarity.size()));
}

// Requires a distance: rounding turns roots of small negative values into 0, and squares of negative similarities would
// lose their signs.
void require_distance(const SourceSimilarity& similarity, Transform transform) {
  if (transform == Transform::none || similarity.traits().meaning == Meaning::distance) return;
  throw Error(ErrorKind::usage,
              fmt::format("parameter transform = sqrt is for distances; {} is a similarity", similarity.traits().name));
}

// Requires lengths of paths, which are sums over their parts; roots and other similarities are not.
void require_sums(const SourceSimilarity& similarity, const BiharmonicParameters& parameters) {
  if (parameters.trees == nullptr) return;
  if (parameters.transform == Transform::none && dynamic_cast<const PathLength*>(&similarity) != nullptr) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("trees are exact for path lengths alone, not for {}{}: make P with exact-trees = false",
                  similarity.traits().name, parameters.transform == Transform::sqrt ? " and transform = sqrt" : ""));
}

// P on the 2-core, and its rows extended to the trees.
SparseRows<double> interpolation_on_core(const Execution& execution, const BiharmonicOperator& op,
                                         const std::vector<Index>& landmarks, const BiharmonicParameters& parameters,
                                         InterpolationReport& report) {
  const HangingTrees& trees = *parameters.trees;
  std::vector<Index> of_core;
  for (const Index landmark : landmarks) {
    if (landmark < 0 || landmark >= trees.size() || !trees.in_core(landmark)) {
      throw Error(ErrorKind::usage,
                  fmt::format("landmark {} is in a pendant tree, not in the 2-core of the graph", landmark));
    }
    of_core.push_back(trees.roots[landmark]);
  }
  const SparseRows<double> core = interpolation(execution, core_operator(execution.communicator, op, trees), of_core,
                                                parameters.interpolation, report);
  return rows_over_trees(execution.communicator, core, trees);
}

}  // namespace

template <class T>
Approximation<T> biharmonic(const Execution& execution, SparseRows<T> interpolation, const SourceSimilarity& similarity,
                            const std::vector<Index>& landmarks, const BiharmonicParameters& parameters) {
  require_matching(interpolation.rows(), similarity);
  require_distance(similarity, parameters.transform);
  require_sums(similarity, parameters);
  Approximation<T> result;
  result.left = std::move(interpolation);
  SymmetricTiles matrix = landmark_matrix(execution, similarity, landmarks, std::is_same_v<T, float>,
                                          parameters.storage, parameters.trees != nullptr);
  if (parameters.transform == Transform::sqrt) {
    matrix = squares_of(execution.communicator, matrix, parameters.storage);
  }
  result.core_matrix = TiledCore{std::move(matrix)};
  result.transform = parameters.transform;
  result.trees = parameters.trees;
  result.meaning = similarity.traits().meaning;
  result.left_origin = FactorOrigin{landmarks, nullptr, nullptr};
  result.report.method = biharmonic_method().name;
  if (landmarks.size() == 1 && similarity.traits().meaning == Meaning::distance) {
    result.report.warnings.push_back(fmt::format(
        "K~ is 0 {}: W holds nothing but the distance of the only landmark from itself; take more landmarks",
        parameters.trees == nullptr ? "everywhere" : "outside of trees"));
  }
  result.report.s1 = result.report.rank = static_cast<Index>(landmarks.size());
  return result;
}

template <class T>
Approximation<T> biharmonic(const Execution& execution, const BiharmonicOperator& op,
                            const SourceSimilarity& similarity, const std::vector<Index>& landmarks,
                            const BiharmonicParameters& parameters, InterpolationReport& report) {
  require_matching(op.size(), similarity);
  require_distance(similarity, parameters.transform);
  require_sums(similarity, parameters);
  SparseRows<T> rows = in_precision<T>(execution.communicator,
                                       parameters.trees == nullptr
                                           ? interpolation(execution, op, landmarks, parameters.interpolation, report)
                                           : interpolation_on_core(execution, op, landmarks, parameters, report));
  Approximation<T> result = biharmonic(execution, std::move(rows), similarity, landmarks, parameters);
  result.report.notes.push_back(
      fmt::format("solver {}: {}", report.solver, report.reason.empty() ? "as was asked for" : report.reason));
  for (const std::string& note : report.notes) result.report.notes.push_back(note);
  for (const std::string& warning : report.warnings) result.report.warnings.push_back(warning);
  return result;
}

#define CAIRN_INSTANTIATE(T)                                                                                 \
  template Approximation<T> biharmonic(const Execution&, SparseRows<T>, const SourceSimilarity&,             \
                                       const std::vector<Index>&, const BiharmonicParameters&);              \
  template Approximation<T> biharmonic(const Execution&, const BiharmonicOperator&, const SourceSimilarity&, \
                                       const std::vector<Index>&, const BiharmonicParameters&, InterpolationReport&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
