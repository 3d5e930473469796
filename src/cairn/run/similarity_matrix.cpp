#include "cairn/run/similarity_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/same_files.hpp"
#include "cairn/run/checks.hpp"
#include "cairn/run/session.hpp"
#include "cairn/similarity/points/gram_similarity.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

// Ascending.
std::vector<Index> distinct(std::span<const Index> numbers) {
  std::vector<Index> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  return sorted;
}

// Positions of the numbers in the sorted list.
std::vector<Index> places_of(std::span<const Index> numbers, const std::vector<Index>& sorted) {
  std::vector<Index> places;
  places.reserve(numbers.size());
  for (const Index number : numbers) places.push_back(std::ranges::lower_bound(sorted, number) - sorted.begin());
  return places;
}

// A similarity of objects given by a function of the caller. Tiles are evaluated with one call of the function, pairs
// with one call of a function of pairs, or, if there is none, with one call per pair.
template <class T>
class FunctionOfObjects final : public Similarity<T> {
 public:
  /// Values of the objects `those` of `rows` with `others` of `columns`.
  using Function = std::function<void(const ObjectBlock& rows, Range those, const ObjectBlock& columns, Range others,
                                      MatrixView<T> out)>;

  FunctionOfObjects(Function function, Function pairs, const FunctionTraits& traits)
      : Similarity<T>({.name = traits.name, .meaning = traits.distance ? Meaning::distance : Meaning::similarity}),
        function_(std::move(function)),
        pairs_(std::move(pairs)) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    function_(rows, {0, out.rows}, columns, {0, out.columns}, out);
    for (Index a = 0; a < out.rows; ++a) {
      if (vector_math::finite(out.row(a), out.columns)) continue;
      this->report_not_finite(rows.ids[a], columns.ids, out.row(a));
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    if (pairs_) return pairs_(first, {0, first.size()}, second, {0, first.size()}, {out.data(), first.size(), 1});
    for (Index a = 0; a < first.size(); ++a) function_(first, {a, a + 1}, second, {a, a + 1}, {out.data() + a, 1, 1});
  }

 private:
  Function function_, pairs_;
};

template <class T>
SimilarityMatrix<T> function_matrix(const Session& session, typename FunctionOfObjects<T>::Function function,
                                    typename FunctionOfObjects<T>::Function pairs, const FunctionTraits& traits,
                                    const ObjectSet& compared, const Objects<T>& objects, bool by_number) {
  auto state = std::make_shared<typename SimilarityMatrix<T>::State>(objects);
  state->session = session.share();
  state->by_number = by_number;
  ExactMatrix<T>& exact = state->exact;
  exact.traits = {.distance = traits.distance, .definite = traits.definite, .whole_rows = true};
  exact.objects = &compared;
  exact.again = [function = std::move(function), pairs = std::move(pairs), traits] {
    return std::make_unique<FunctionOfObjects<T>>(function, pairs, traits);
  };
  exact.entries = exact.again();
  return SimilarityMatrix<T>(std::move(state));
}

void require_kind(const SimilarityChoice& choice, ObjectKind kind) {
  const auto compares = [&](const SimilarityChoice& part) {
    return std::ranges::any_of(part.descriptor->objects, [&](ObjectKind own) {
      return own == kind || (kind == objects::numbers && own == objects::matrix_rows);
    });
  };
  const bool all = choice.traits().composite ? std::ranges::all_of(choice.parts, compares) : compares(choice);
  if (all) return;
  throw Error(ErrorKind::usage, fmt::format("the similarity {} does not compare {}", choice.name(), kind.name));
}

// The name and all values, including those of the parts.
std::vector<std::string> choice_words(const SimilarityChoice& choice) {
  std::vector<std::string> words = {choice.name()};
  for (const Parameter& parameter : choice.descriptor->parameters) {
    words.push_back(fmt::format("{} = {}", parameter.name, choice.values.text(parameter.name)));
  }
  for (const SimilarityChoice& part : choice.parts) {
    for (std::string& word : choice_words(part)) words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

template <class T>
SimilarityMatrix<T> similarity(const Session& session, const SimilarityChoice& choice, const Objects<T>& objects) {
  auto state = std::make_shared<typename SimilarityMatrix<T>::State>(objects);
  session.require_same_call("similarity", choice_words(choice));
  require_same_files(session.communicator(), files_read(choice.descriptor->parameters, choice.values));
  collectively(session.communicator(), [&] { require_kind(choice, objects.kind()); });
  state->session = session.share();
  state->choice = choice;
  state->exact = make_exact_matrix(session.execution(), objects.data(), choice);
  return SimilarityMatrix<T>(std::move(state));
}

template <class T>
SimilarityMatrix<T> similarity(const Session& session, const std::string& name, const GivenValues& given,
                               const Objects<T>& objects) {
  session.require_same_call("similarity", words_of(given, {name}));
  const SimilarityChoice choice = collectively(session.communicator(), [&] {
    const SimilarityDescriptor& chosen = similarity_named(name);
    return SimilarityChoice(chosen, values_of(chosen.parameters, given));
  });
  return similarity(session, choice, objects);
}

template <class T>
SimilarityMatrix<T> similarity(const Session& session, const TileFunction<T>& function, const Objects<T>& objects,
                               const FunctionTraits& traits, const std::type_identity_t<TileFunction<T>>& pairs) {
  session.require_same_call("similarity", {traits.name});
  collectively(session.communicator(), [&] {
    if (objects.kind() == cairn::objects::points) return;
    throw Error(ErrorKind::usage,
                fmt::format("the similarity {} compares points, and these objects are others", traits.name));
  });
  const auto of_points = [dimension = objects.dimension()](const TileFunction<T>& of_coordinates) ->
      typename FunctionOfObjects<T>::Function {
        if (!of_coordinates) return {};
        return [of_coordinates, dimension](const ObjectBlock& rows, Range those, const ObjectBlock& columns,
                                           Range others, MatrixView<T> out) {
          const MatrixView<const T> left = points_of<T>(rows, dimension).coordinates;
          const MatrixView<const T> right = points_of<T>(columns, dimension).coordinates;
          of_coordinates({left.row(those.begin), those.size(), dimension},
                         {right.row(others.begin), others.size(), dimension}, out);
        };
      };
  return function_matrix<T>(session, of_points(function), of_points(pairs), traits, *objects.data().points(), objects,
                            false);
}

template <class T>
SimilarityMatrix<T> similarity_by_number(const Session& session,
                                         const std::type_identity_t<NumberFunction<T>>& function,
                                         const Objects<T>& objects, const FunctionTraits& traits,
                                         const std::type_identity_t<NumberFunction<T>>& pairs) {
  session.require_same_call("similarity", {traits.name});
  const auto by_ids = [](const NumberFunction<T>& of_numbers) -> typename FunctionOfObjects<T>::Function {
    if (!of_numbers) return {};
    return [of_numbers](const ObjectBlock& rows, Range those, const ObjectBlock& columns, Range others,
                        MatrixView<T> out) {
      of_numbers(std::span(rows.ids).subspan(those.begin, those.size()),
                 std::span(columns.ids).subspan(others.begin, others.size()), out);
    };
  };
  return function_matrix<T>(session, by_ids(function), by_ids(pairs), traits, objects.compared(), objects, true);
}

template <class T>
std::vector<T> exact_entries(const Session& session, const SimilarityMatrix<T>& matrix, std::span<const Index> rows,
                             std::span<const Index> columns) {
  const Communicator& communicator = session.communicator();
  const ObjectSet &objects = matrix.compared(), *right = matrix.state().exact.right;
  const Index others = right != nullptr ? right->size() : matrix.size();
  collectively(communicator, [&] { require_pairs(matrix.size(), others, rows, columns); });
  const ObjectPairs gathered =
      right == nullptr ? objects.gather_pairs(communicator, rows, columns)
                       : ObjectPairs{objects.gather(communicator, rows), right->gather(communicator, columns)};
  if (const auto& sources = matrix.state().exact.sources) {
    sources->expect_pairs(communicator, communicator.sum(std::ssize(rows)));
  }
  return collectively(communicator, [&] {
    std::vector<T> values(rows.size());
    matrix.state().exact.entries->pairs(*gathered.first, *gathered.second, std::span<T>(values));
    return values;
  });
}

template <class T>
Buffer<T> exact_block(const Session& session, const SimilarityMatrix<T>& matrix, std::span<const Index> rows,
                      std::span<const Index> columns) {
  const Communicator& communicator = session.communicator();
  const ExactMatrix<T>& exact = matrix.state().exact;
  const ObjectSet& others = exact.right != nullptr ? *exact.right : matrix.compared();
  collectively(communicator, [&] {
    require_objects(matrix.size(), rows);
    require_objects(others.size(), columns);
  });
  const std::vector<Index> distinct_rows = distinct(rows), distinct_columns = distinct(columns);
  const auto left = matrix.compared().gather(communicator, distinct_rows);
  const auto right = others.gather(communicator, distinct_columns);
  return collectively(communicator, [&] {
    Buffer<T> values(std::ssize(distinct_rows) * std::ssize(distinct_columns));
    const MatrixView<T> tile(values.data(), std::ssize(distinct_rows), std::ssize(distinct_columns));
    if (tile.rows > 0 && tile.columns > 0) exact.entries->tile(*left, *right, tile);
    if (tile.rows == std::ssize(rows) && tile.columns == std::ssize(columns) && std::ranges::is_sorted(rows) &&
        std::ranges::is_sorted(columns)) {
      return values;
    }
    Buffer<T> block(std::ssize(rows) * std::ssize(columns));
    const std::vector<Index> places = places_of(columns, distinct_columns);
    T* next = block.data();
    for (const Index row : places_of(rows, distinct_rows)) {
      for (const Index column : places) *next++ = tile(row, column);
    }
    return block;
  });
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template SimilarityMatrix<T> similarity(const Session&, const SimilarityChoice&, const Objects<T>&);                \
  template SimilarityMatrix<T> similarity(const Session&, const std::string&, const GivenValues&, const Objects<T>&); \
  template SimilarityMatrix<T> similarity(const Session&, const TileFunction<T>&, const Objects<T>&,                  \
                                          const FunctionTraits&, const TileFunction<T>&);                             \
  template SimilarityMatrix<T> similarity_by_number(const Session&, const NumberFunction<T>&, const Objects<T>&,      \
                                                    const FunctionTraits&, const NumberFunction<T>&);                 \
  template std::vector<T> exact_entries(const Session&, const SimilarityMatrix<T>&, std::span<const Index>,           \
                                        std::span<const Index>);                                                      \
  template Buffer<T> exact_block(const Session&, const SimilarityMatrix<T>&, std::span<const Index>,                  \
                                 std::span<const Index>);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
