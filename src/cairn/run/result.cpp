#include "cairn/run/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "cairn/approximation/error/probe.hpp"
#include "cairn/approximation/near/near_values.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/same_files.hpp"
#include "cairn/evaluation/exact_error.hpp"
#include "cairn/run/checks.hpp"
#include "cairn/run/computation/computation.hpp"
#include "cairn/run/session.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"

namespace cairn {

namespace {

template <class T>
const char* precision_name() {
  return std::is_same_v<T, float> ? "single" : "double";
}

// Each owner fills in its tiles, both triangles; the sum over ranks is the matrix.
Buffer<double> whole_tiles(const Communicator& communicator, const SymmetricTiles& tiles) {
  const Index size = tiles.size();
  Buffer<double> whole = collectively(communicator, [&] {
    Buffer<double> own(size * size);
    std::ranges::fill(own.span(), 0.0);
    for (Index tile = communicator.rank(); tile < tiles.tiles(); tile += communicator.size()) {
      const SymmetricTiles::Place at = tiles.place(tile);
      Buffer<double> values(at.rows.size() * at.columns.size());
      const MatrixView<double> view(values.data(), at.rows.size(), at.columns.size());
      tiles.load(tile, view);
      for (Index i = 0; i < view.rows; ++i) {
        for (Index j = 0; j < view.columns; ++j) {
          own[(at.rows.begin + i) * size + at.columns.begin + j] = view(i, j);
          own[(at.columns.begin + j) * size + at.rows.begin + i] = view(i, j);
        }
      }
    }
    return own;
  });
  communicator.sum(whole.span());
  return whole;
}

Buffer<double> diagonal_matrix(const std::vector<double>& values) {
  const auto size = static_cast<Index>(values.size());
  Buffer<double> whole(size * size);
  std::ranges::fill(whole.span(), 0.0);
  for (Index i = 0; i < size; ++i) whole[i * size + i] = values[i];
  return whole;
}

}  // namespace

template <class T>
std::vector<double> entries(const Session& session, const Result<T>& result, std::span<const Index> rows,
                            std::span<const Index> columns) {
  collectively(session.communicator(),
               [&] { require_pairs(result.size(), result.approximation().right_factor().rows(), rows, columns); });
  return entries_with_near(session.execution(), result.approximation(), result.state().near.get(), rows, columns);
}

template <class T>
Buffer<double> core_matrix(const Session& session, const Result<T>& result) {
  const Communicator& communicator = session.communicator();
  const CoreMatrix& core_matrix = result.approximation().core_matrix;
  if (const auto* dense = std::get_if<DenseCore>(&core_matrix)) {
    return replicate_columns(dense->matrix, {0, dense->matrix.columns()});
  }
  if (const auto* tiles = std::get_if<TiledCore>(&core_matrix)) return whole_tiles(communicator, tiles->matrix);
  return collectively(communicator, [&] {
    const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix);
    return diagonal_matrix(diagonal != nullptr
                               ? diagonal->values
                               : std::vector<double>(static_cast<std::size_t>(core_matrix_rows(core_matrix)), 1.0));
  });
}

template <class T>
ErrorEstimate probe_error(const Session& session, Result<T>& result, const SimilarityMatrix<T>& matrix,
                          const EstimateEffort& effort) {
  session.require_same_call("probe_error",
                            {effort.count ? fmt::format("count {}", *effort.count) : "no count",
                             fmt::format("precision {}", effort.precision), fmt::format("{} seconds", effort.seconds)});
  collectively(session.communicator(), [&] {
    require_size("the similarity is of", matrix.size(), result.size());
    if (result.approximation().left.is_stored() || matrix.objects().data().digest == result.description().data_digest) {
      return;
    }
    throw Error(
        ErrorKind::usage,
        "the result keeps no rows of its left factor (store-left = false), and the similarity is of other objects "
        "than those that it was made from");
  });
  const EvaluatedRows<T> rows(session.communicator(), result.state_of().approximation, matrix.state().exact,
                              result.description());
  constexpr bool over_rows = false;  // only if K is evaluated by rows
  const MeasuredError measured =
      measure_error(session.execution(), result.approximation(), matrix.state().exact, effort, over_rows);
  take_error(measured, result.description(), result.report());
  return measured.estimate;
}

template <class T>
void keep_near(const Session& session, Result<T>& result, const SimilarityMatrix<T>& matrix, Index near, bool exact) {
  session.require_same_call("keep_near", {std::to_string(near), exact ? "exact" : "by factors"});
  collectively(session.communicator(), [&] {
    require_size("the similarity is of", matrix.size(), result.size());
    if (near < 1)
      throw Error(ErrorKind::usage,
                  fmt::format("the number of nearest objects to keep is {}: it must be 1 or more", near));
  });
  auto& state = result.state_of();
  const std::size_t before = state.approximation.report.metrics.size();
  const NearStep<T> step = take_near_entries(session.execution(), matrix.objects().data(), matrix.state().exact,
                                             {near, true, exact}, KeyNames{}, state.approximation);
  state.near = step.entries;
  state.description.evaluations += step.evaluations;
  const auto& metrics = state.approximation.report.metrics;
  for (const auto& [name, value] : std::span(metrics).subspan(before)) state.description.metrics[name] = value;
}

template <class T>
void save(const Session& session, const std::string& path, const Result<T>& result) {
  session.require_same_call("save", {path});
  ResultDescription description = result.description();
  description.phases = session.phases();
  const auto& state = result.state();
  write_result<T>(session.execution(), path, state.approximation, description, state, Compression::deflate,
                  state.numbers, {.hierarchy = state.hierarchy ? &*state.hierarchy : nullptr, .near = state.near.get()},
                  state.right_labels);
}

template <class T>
Result<T> load(const Session& session, const std::string& path) {
  const Communicator& communicator = session.communicator();
  session.require_same_call("load", {path});
  require_same_files(communicator, {{"the result", path}});
  const ResultShape shape = read_result_shape(communicator, path);
  const std::string& precision = shape.precision;
  if (precision != precision_name<T>()) {
    throw Error(ErrorKind::usage, fmt::format("{} is in {} precision: load<{}>() reads it", path, precision,
                                              precision == "single" ? "float" : "double"));
  }
  StoredResult<T> stored = shape.left_stored ? read_result<T>(communicator, path)
                                             : read_result_beside_rows<T>(communicator, path, all_tiles);
  auto state = std::make_shared<typename Result<T>::State>();
  state->session = session.share();
  state->approximation = std::move(stored.approximation);
  state->description = std::move(stored.description);
  static_cast<ObjectTexts&>(*state) = std::move(static_cast<ObjectTexts&>(stored));
  state->numbers = std::move(stored.numbers);
  state->right_labels = std::move(stored.right_labels);
  state->file = path;
  state->near = read_near_entries<T>(communicator, path);
  if (const auto lengths = read_path_lengths(communicator, path)) {
    state->hierarchy =
        collectively(communicator, [&] { return lengths->stored_hierarchy(communicator.rank(), communicator.size()); });
  }
  return Result<T>(std::move(state));
}

#define CAIRN_INSTANTIATE(T)                                                                                         \
  template std::vector<double> entries(const Session&, const Result<T>&, std::span<const Index>,                     \
                                       std::span<const Index>);                                                      \
  template Buffer<double> core_matrix(const Session&, const Result<T>&);                                             \
  template ErrorEstimate probe_error(const Session&, Result<T>&, const SimilarityMatrix<T>&, const EstimateEffort&); \
  template void keep_near(const Session&, Result<T>&, const SimilarityMatrix<T>&, Index, bool);                      \
  template void save(const Session&, const std::string&, const Result<T>&);                                          \
  template Result<T> load(const Session&, const std::string&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
