#include "cairn/task/classification/neighbor_prediction.hpp"

#include <fmt/format.h>

#include <memory>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/store/result/extension.hpp"
#include "cairn/task/classification/neighbor_votes.hpp"
#include "cairn/task/predicted_rows.hpp"

namespace cairn {

namespace {

template <class T>
const FindMatrix<T>& find_matrix(const PredictionInput& input) {
  if constexpr (std::is_same_v<T, float>) {
    return input.matrix_single;
  } else {
    return input.matrix_double;
  }
}

template <class T>
const FindNewObjects<T>& find_new(const PredictionInput& input) {
  if constexpr (std::is_same_v<T, float>) {
    return input.new_single;
  } else {
    return input.new_double;
  }
}

// The labelled rows that this rank owns.
SearchSide labelled_side(const ObjectSet& objects, const StoredNeighbors& model, bool numbered) {
  SearchSide side{objects, {}, {}};
  for (const Index row : model.rows) {
    if (objects.range().contains(row)) side.rows.push_back(row);
  }
  if (numbered) side.groups = side.rows;
  return side;
}

NeighborClasses voted(const FoundNeighbors& found, const ClassifierFile& model, Meaning meaning) {
  const StoredNeighbors& neighbors = *model.neighbors;
  const LabelledNeighbors labelled{neighbors.rows, neighbors.classes};
  const NeighborVoting voting{neighbors.k, neighbors.by_distance, meaning};
  NeighborClasses result;
  std::vector<double> scores(model.classes.size());
  for (std::size_t q = 0; q + 1 < found.starts.size(); ++q) {
    result.classes.push_back(vote(found.of(static_cast<Index>(q)), labelled, voting, scores));
    result.scores.insert(result.scores.end(), scores.begin(), scores.end());
  }
  return result;
}

}  // namespace

template <class T>
NeighborClasses classes_by_neighbors(const PredictionInput& input, const ClassifierFile& model, const std::string& path,
                                     const StoredResult<T>& result, const std::vector<Index>& rows) {
  if (!find_matrix<T>(input) || !find_new<T>(input)) {
    throw Error(ErrorKind::usage, fmt::format("the model {} compares objects themselves, which cairn predict reads; "
                                              "they are not at hand here",
                                              input.model));
  }
  const Execution& execution = input.execution;
  const Index k = model.neighbors->k;
  if (!is_extension(result.description)) {
    const auto matrix = find_matrix<T>(input)(path, result.description);
    const SearchSide queries{matrix->compared(), rows, rows};
    const auto& entries = matrix->entries();
    const auto targets = labelled_side(matrix->compared(), *model.neighbors, true);
    return voted(find_neighbors(execution, entries, queries, targets, k), model, entries.traits().meaning);
  }
  const std::string& known = model.result;
  constexpr Index no_tiles = 0;
  const StoredResult<T> trained = read_result<T>(execution.communicator, known, no_tiles);
  require_basis(known, digests_of_columns(execution.communicator, trained.approximation, trained.description),
                trained.approximation.left.columns(), {model.basis_digest, model.columns, "the model", known});
  const auto objects = find_new<T>(input)(known, trained.approximation, path);
  const auto& entries = objects->entries();
  return voted(find_neighbors(execution, entries, {objects->unseen(), rows, {}},
                              labelled_side(objects->known(), *model.neighbors, false), k),
               model, entries.traits().meaning);
}

template NeighborClasses classes_by_neighbors(const PredictionInput&, const ClassifierFile&, const std::string&,
                                              const StoredResult<float>&, const std::vector<Index>&);
template NeighborClasses classes_by_neighbors(const PredictionInput&, const ClassifierFile&, const std::string&,
                                              const StoredResult<double>&, const std::vector<Index>&);

}  // namespace cairn
