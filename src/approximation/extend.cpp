#include "approximation/extend.hpp"

#include "base/error.hpp"
#include "linalg/dense_algorithms.hpp"
#include "similarity/columns.hpp"

namespace cairn {

template <class T>
RowBlock<T> extend_factor(const Execution& execution, const Similarity<T>& similarity, const ObjectSet& unseen,
                          const FactorOrigin& origin, const std::string& loop) {
  if (!similarity.defined_for_unseen()) {
    throw Error(ErrorKind::usage, "the similarity " + similarity.name() +
                                      " is defined between the objects of its data set only: nothing can be extended");
  }
  if (!origin.objects) {
    throw Error(ErrorKind::usage,
                "the rows of this result's factor are interpolated between the vertices of its graph "
                "or mesh, not computed from objects: nothing can be extended");
  }
  RowBlock<T> columns = evaluate_columns(execution, similarity, unseen, *origin.objects, "extend", loop);
  if (!origin.map) return columns;
  const auto phase = execution.phases.enter("extend");
  return multiply_tall(columns, *origin.map, execution.threads);
}

template RowBlock<float> extend_factor(const Execution&, const Similarity<float>&, const ObjectSet&,
                                       const FactorOrigin&, const std::string&);
template RowBlock<double> extend_factor(const Execution&, const Similarity<double>&, const ObjectSet&,
                                        const FactorOrigin&, const std::string&);

}  // namespace cairn
