#include "cairn/approximation/extend.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cairn/approximation/feature_map.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

namespace {

// Positions of `ids` in `others`; empty if one of them is missing.
std::optional<std::vector<std::size_t>> places_among(const std::vector<Index>& ids, const std::vector<Index>& others) {
  std::unordered_map<Index, std::size_t> place;
  for (std::size_t k = 0; k < others.size(); ++k) place.emplace(others[k], k);
  std::vector<std::size_t> places;
  for (const Index id : ids) {
    const auto found = place.find(id);
    if (found == place.end()) return std::nullopt;
    places.push_back(found->second);
  }
  return places;
}

template <class T>
RowBlock<T> columns_at(const Communicator& communicator, const RowBlock<T>& all,
                       const std::vector<std::size_t>& places) {
  return collectively(communicator, [&] {
    RowBlock<T> some(all.partition(), communicator.rank(), static_cast<Index>(places.size()));
    for (Index i = all.range().begin; i < all.range().end; ++i) {
      for (std::size_t k = 0; k < places.size(); ++k) some.row(i)[k] = all.row(i)[places[k]];
    }
    return some;
  });
}

template <class T>
RowBlock<T> mapped(const Execution& execution, RowBlock<T> columns, const FactorOrigin& origin) {
  if (!origin.map) return columns;
  const auto phase = execution.phases.enter("extend");
  return multiply_tall(columns, *origin.map, execution.threads);
}

template <class T>
RowBlock<T> columns_of(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& unseen,
                       const FactorOrigin& origin, const std::string& loop) {
  const bool points = dynamic_cast<const PointSet<T>*>(&unseen) != nullptr;
  if (!origin.objects || (points && dynamic_cast<const PointBlock<T>*>(origin.objects.get()) == nullptr)) {
    throw Error(ErrorKind::usage,
                "the rows of this result's factor are interpolated between its landmarks, not computed from objects: "
                "nothing can be extended");
  }
  return evaluate_columns(execution, similarity, unseen, *origin.objects, "extend", loop);
}

// Warns if new points are longer: the polynomial approximates the function of inner products only in the range of the
// old points.
template <class T>
void warn_of_length(const Execution& execution, const ObjectSet& unseen, const FactorOrigin& origin,
                    std::vector<std::string>& warnings) {
  if (!origin.features) return;
  const auto& points = dynamic_cast<const PointSet<T>&>(unseen);
  const Index beyond = points_beyond(execution.communicator, points, *origin.features);
  if (beyond == 0) return;
  warnings.push_back(
      fmt::format("{} of {} new rows {} longer than all of those that the features were chosen for: "
                  "{} error may be large",
                  grouped(beyond), grouped(points.size()), beyond == 1 ? "is" : "are", beyond == 1 ? "its" : "their"));
}

}  // namespace

template <class T>
RowBlock<T> extend_factor(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& unseen,
                          const FactorOrigin& origin, const std::string& loop) {
  if (origin.features) {
    return features_of(execution, dynamic_cast<const PointSet<T>&>(unseen), *origin.features);
  }
  return mapped(execution, columns_of(execution, similarity, unseen, origin, loop), origin);
}

template <class T>
void extend_factors(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& unseen,
                    Approximation<T>& approximation, bool to_right) {
  const FactorOrigin& left = approximation.left_origin.value();
  if (approximation.rectangular && to_right) {
    const FactorOrigin& right = approximation.right_origin.value();
    approximation.right = extend_factor(execution, similarity, unseen, right, "extend-right");
    warn_of_length<T>(execution, unseen, right, approximation.report.warnings);
    return;
  }
  if (!approximation.right || approximation.rectangular) {
    approximation.left = extend_factor(execution, similarity, unseen, left, "extend-left");
    warn_of_length<T>(execution, unseen, left, approximation.report.warnings);
    return;
  }
  const FactorOrigin& right = approximation.right_origin.value();
  const auto places = places_among(left.indices, right.indices);
  RowBlock<T> columns = columns_of(execution, similarity, unseen, right, "extend-right");
  approximation.left = places ? mapped(execution, columns_at(execution.communicator, columns, *places), left)
                              : extend_factor(execution, similarity, unseen, left, "extend-left");
  approximation.right = mapped(execution, std::move(columns), right);
}

template RowBlock<float> extend_factor(const Execution&, const Similarity<float>&, const ObjectSet&,
                                       const FactorOrigin&, const std::string&);
template RowBlock<double> extend_factor(const Execution&, const Similarity<double>&, const ObjectSet&,
                                        const FactorOrigin&, const std::string&);
template void extend_factors(const Execution&, const Similarity<float>&, const ObjectSet&, Approximation<float>&, bool);
template void extend_factors(const Execution&, const Similarity<double>&, const ObjectSet&, Approximation<double>&,
                             bool);

}  // namespace cairn
