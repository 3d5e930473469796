#include "cairn/run/similarity_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/mesh/mesh_data.hpp"
#include "cairn/run/checks.hpp"
#include "cairn/run/session.hpp"
#include "cairn/run/tile_function.hpp"
#include "cairn/similarity/source_entries.hpp"

namespace cairn {

namespace {

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

template <class T>
std::unique_ptr<SourceSimilarity> sources_of(const Session& session, const SimilarityChoice& choice,
                                             const Data<T>& data, bool nearest) {
  const SharedGraph* graph = data.template as<Graph>() != nullptr ? &data.shared_graph : nullptr;
  const auto* mesh = data.template as<TriangleMesh>();
  return make_source_similarity(choice, {session.communicator(), choice.values, graph, mesh, nearest});
}

}  // namespace

template <class T>
Index SimilarityMatrix<T>::evaluations() const {
  return state_->sources ? state_->sources->evaluations() : state_->entries->evaluations();
}

template <class T>
SimilarityMatrix<T> similarity(const Session& session, const SimilarityChoice& choice, const Objects<T>& objects) {
  const auto phase = session.execution().phases.enter("similarity");
  auto state = std::make_shared<typename SimilarityMatrix<T>::State>(objects);
  collectively(session.communicator(), [&] {
    require_kind(choice, objects.kind());
    state->traits = choice.traits();
  });
  if (state->traits.single_source) {
    if (const auto* mesh = objects.data().template as<TriangleMesh>()) {
      require_connected(session.communicator(), *mesh, "parameter largest-component");
    }
    state->sources = sources_of<T>(session, choice, objects.data(), false);
    state->entries = std::make_unique<SourceEntries<T>>(*state->sources);
    state->nearest = [session, choice, objects] { return sources_of<T>(session, choice, objects.data(), true); };
  } else {
    state->entries = make_similarity<T>(session.execution(), choice, objects.compared());
    const SimilarityChoice resolved = from_resolved(state->entries->name(), state->entries->parameters());
    state->again = [session, resolved, objects] {
      return make_similarity<T>(session.execution(), resolved, objects.compared());
    };
  }
  return SimilarityMatrix<T>(std::move(state));
}

template <class T>
SimilarityMatrix<T> similarity(const Session& session, const std::string& name, const GivenValues& given,
                               const Objects<T>& objects) {
  const SimilarityChoice choice = collectively(session.communicator(), [&] {
    const SimilarityDescriptor& chosen = similarity_named(name);
    return SimilarityChoice(chosen, values_of(chosen.parameters, given));
  });
  return similarity(session, choice, objects);
}

template <class T>
SimilarityMatrix<T> similarity(const Session& session, const TileFunction<T>& function, const Objects<T>& objects,
                               const FunctionTraits& traits) {
  collectively(session.communicator(), [&] {
    if (objects.kind() == cairn::objects::points) return;
    throw Error(ErrorKind::usage,
                fmt::format("the similarity {} compares points, and these objects are others", traits.name));
  });
  auto state = std::make_shared<typename SimilarityMatrix<T>::State>(objects);
  state->traits = {.distance = traits.distance, .definite = traits.definite, .whole_rows = true};
  state->again = [function, traits, objects] {
    return std::make_unique<FunctionOfPoints<T>>(function, traits, objects.dimension());
  };
  state->entries = state->again();
  return SimilarityMatrix<T>(std::move(state));
}

template <class T>
std::vector<T> exact_entries(const Session& session, const SimilarityMatrix<T>& matrix, std::span<const Index> rows,
                             std::span<const Index> columns) {
  const Communicator& communicator = session.communicator();
  collectively(communicator, [&] { require_pairs(matrix.size(), rows, columns); });
  const ObjectSet& objects = matrix.compared();
  const auto first = objects.gather(communicator, rows);
  const auto second = objects.gather(communicator, columns);
  return collectively(communicator, [&] {
    std::vector<T> values(rows.size());
    matrix.state().entries->pairs(*first, *second, std::span<T>(values));
    return values;
  });
}

#define CAIRN_INSTANTIATE(T)                                                                                          \
  template class SimilarityMatrix<T>;                                                                                 \
  template SimilarityMatrix<T> similarity(const Session&, const SimilarityChoice&, const Objects<T>&);                \
  template SimilarityMatrix<T> similarity(const Session&, const std::string&, const GivenValues&, const Objects<T>&); \
  template SimilarityMatrix<T> similarity(const Session&, const TileFunction<T>&, const Objects<T>&,                  \
                                          const FunctionTraits&);                                                     \
  template std::vector<T> exact_entries(const Session&, const SimilarityMatrix<T>&, std::span<const Index>,           \
                                        std::span<const Index>);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
