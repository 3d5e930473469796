// K: a similarity and the objects that it compares.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/base/buffer.hpp"
#include "cairn/parameters/given.hpp"
#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/objects.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {

class Session;

/// K; entries are evaluated on request. Copies share the same matrix, and keep its objects alive. All ranks must
/// destroy a single-source K (path lengths, geodesics) together
template <class T = double>
class SimilarityMatrix {
 public:
  /// Contents, destroyed from the last to the first.
  struct State {
    explicit State(Objects<T> compared) : objects(std::move(compared)) {}
    Objects<T> objects;
    std::shared_ptr<const void> session;
    std::optional<SimilarityChoice> choice;  ///< nothing: a function of a program
    bool by_number = false;                  ///< a function of the numbers of objects, not defined for other objects
    ExactMatrix<T> exact;
  };
  explicit SimilarityMatrix(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  [[nodiscard]] const State& state() const { return *state_; }
  [[nodiscard]] const Objects<T>& objects() const { return state_->objects; }
  [[nodiscard]] Index size() const { return state_->objects.size(); }
  /// Objects that entries compare: the vertices of a mesh by their positions, unless K is single-source.
  [[nodiscard]] const ObjectSet& compared() const { return *state_->exact.objects; }
  [[nodiscard]] std::string name() const { return state_->exact.name(); }
  /// Parameters by name, with words resolved: "gamma" -> "0.25".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const {
    return state_->exact.parameters();
  }
  /// Evaluations by this rank so far.
  [[nodiscard]] Index evaluations() const { return state_->exact.evaluations(); }

 private:
  std::shared_ptr<const State> state_;
};

/// The similarity with this command-line name and the parameters in its descriptor; `cairn help similarity NAME`
/// describes them. Words among their values are resolved from the objects.
/// @throws Error(usage) for an unknown name, a bad parameter (it is named), or a similarity for another kind of
/// objects; Error(input) for a graph or mesh in several pieces if the similarity is single-source; as
/// make_similarity(). Collective.
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const std::string& name, const GivenValues& given,
                                             const Objects<T>& objects);
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const std::string& name,
                                             const Objects<T>& objects) {
  return similarity(session, name, {}, objects);
}
/// The same for a choice, which may be a sum or product with its parts.
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const SimilarityChoice& choice,
                                             const Objects<T>& objects);

/// Fills tile(a, b) with the similarity of left.row(a) and right.row(b), the coordinates of two points. Called by
/// several threads at once if the session has more than one. An exception ends the computation on all ranks.
template <class T>
using TileFunction = std::function<void(MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> tile)>;

/// Properties that a function does not reveal.
struct FunctionTraits {
  std::string name = "own-function";  ///< in messages and files
  bool distance = false;              ///< a smaller value is nearer
  bool definite = false;              ///< always positive definite
};

/// A similarity of points that a program computes, symmetric and dependent on the coordinates alone.
/// @param pairs  fills tile(a, 0) with the similarity of left.row(a) and right.row(a), many at a time, for estimates of
/// errors; empty: `function` computes each by itself
/// @throws Error(usage) if the objects are not points. Collective.
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const TileFunction<T>& function,
                                             const Objects<T>& objects, const FunctionTraits& traits = {},
                                             const std::type_identity_t<TileFunction<T>>& pairs = {});
template <class T, class Function>
requires std::is_invocable_v<Function, MatrixView<const T>, MatrixView<const T>, MatrixView<T>>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const Function& function,
                                             const Objects<T>& objects, const FunctionTraits& traits = {},
                                             const std::type_identity_t<TileFunction<T>>& pairs = {}) {
  return similarity(session, TileFunction<T>(function), objects, traits, pairs);
}

/// Fills tile(a, b) with the similarity of the objects rows[a] and columns[b], numbers from 0. Called as a
/// TileFunction.
template <class T>
using NumberFunction =
    std::function<void(std::span<const Index> rows, std::span<const Index> columns, MatrixView<T> tile)>;

/// A similarity of objects of any kind that a program computes from their numbers, symmetric; each rank knows all that
/// it compares. Results are not extended to other objects. @param pairs  as for points: tile(a, 0) of the objects
/// rows[a] and columns[a]; may be empty. Collective.
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity_by_number(const Session& session,
                                                       const std::type_identity_t<NumberFunction<T>>& function,
                                                       const Objects<T>& objects, const FunctionTraits& traits = {},
                                                       const std::type_identity_t<NumberFunction<T>>& pairs = {});

/// Exact entries K(rows[a], columns[a]) for this rank's pairs (each rank has its own list).
/// @throws Error(usage) for lists of unequal length or an invalid object number. Collective. Memory: the objects of all
/// pairs of this rank.
template <class T>
[[nodiscard]] std::vector<T> exact_entries(const Session& session, const SimilarityMatrix<T>& matrix,
                                           std::span<const Index> rows, std::span<const Index> columns);

/// The block K(rows[a], columns[b]), row-major; each rank has its own lists, in which numbers may repeat.
/// @throws Error(usage) for an invalid object number. Collective. Memory: these objects, and twice the block.
template <class T>
[[nodiscard]] Buffer<T> exact_block(const Session& session, const SimilarityMatrix<T>& matrix,
                                    std::span<const Index> rows, std::span<const Index> columns);

}  // namespace cairn
