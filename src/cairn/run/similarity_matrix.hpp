// K: a similarity and the objects that it compares.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/run/computation/exact_matrix.hpp"
#include "cairn/run/given.hpp"
#include "cairn/run/objects.hpp"
#include "cairn/similarity/similarities.hpp"

namespace cairn {

class Session;

/// K, of which nothing is evaluated before it is asked for. Copies are the same one, and keep its objects. One that
/// comes from one object to all others (path lengths, geodesics) is let go by all ranks together.
template <class T = double>
class SimilarityMatrix {
 public:
  /// What it is made of, destroyed from the last to the first.
  struct State {
    explicit State(Objects<T> compared) : objects(std::move(compared)) {}
    Objects<T> objects;
    std::shared_ptr<const void> session;
    std::optional<SimilarityChoice> choice;  ///< nothing: a function of a program
    ExactMatrix<T> exact;
  };
  explicit SimilarityMatrix(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  [[nodiscard]] const State& state() const { return *state_; }
  [[nodiscard]] const Objects<T>& objects() const { return state_->objects; }
  [[nodiscard]] Index size() const { return state_->objects.size(); }
  /// What entries compare: the vertices of a mesh by their positions, unless K comes from one vertex to all others.
  [[nodiscard]] const ObjectSet& compared() const { return *state_->exact.objects; }
  [[nodiscard]] std::string name() const { return state_->exact.name(); }
  /// By name, with words resolved: "gamma" -> "0.25".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const {
    return state_->exact.parameters();
  }
  /// Evaluations by this rank so far.
  [[nodiscard]] Index evaluations() const { return state_->exact.evaluations(); }

 private:
  std::shared_ptr<const State> state_;
};

/// A similarity by its name on the command line and the parameters that its descriptor lists; `cairn help similarity
/// NAME` describes them. Words among their values are resolved from the objects.
/// @throws Error(usage) for an unknown name, a bad parameter (it is named), or a similarity of other objects;
///   Error(input) for a graph or mesh in several pieces if it comes from one object to all others; as
///   make_similarity(). Collective.
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const std::string& name, const GivenValues& given,
                                             const Objects<T>& objects);
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const std::string& name,
                                             const Objects<T>& objects) {
  return similarity(session, name, {}, objects);
}
/// The same from a choice, which may be a sum or product with its parts.
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const SimilarityChoice& choice,
                                             const Objects<T>& objects);

/// Fills tile(a, b) with the similarity of left.row(a) and right.row(b), coordinates of two points. Called by several
/// threads at once where the session has more than one. What it throws ends the computation on all ranks.
template <class T>
using TileFunction = std::function<void(MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> tile)>;

/// What cannot be seen from a function.
struct FunctionTraits {
  std::string name = "own-function";  ///< in messages and files
  bool distance = false;              ///< a smaller value is nearer
  bool definite = false;              ///< positive definite by its nature
};

/// A similarity of points that a program computes, symmetric and a function of coordinates alone.
/// @throws Error(usage) if the objects are not points. Collective.
template <class T>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const TileFunction<T>& function,
                                             const Objects<T>& objects, const FunctionTraits& traits = {});
template <class T, class Function>
requires std::is_invocable_v<Function, MatrixView<const T>, MatrixView<const T>, MatrixView<T>>
[[nodiscard]] SimilarityMatrix<T> similarity(const Session& session, const Function& function,
                                             const Objects<T>& objects, const FunctionTraits& traits = {}) {
  return similarity(session, TileFunction<T>(function), objects, traits);
}

/// Exact entries K(rows[a], columns[a]) of the pairs that this rank asks for (another list on every rank).
/// @throws Error(usage) for lists of unequal length or a number that is not an object's. Collective. Memory: the
/// objects of all pairs of this rank.
template <class T>
[[nodiscard]] std::vector<T> exact_entries(const Session& session, const SimilarityMatrix<T>& matrix,
                                           std::span<const Index> rows, std::span<const Index> columns);

}  // namespace cairn
