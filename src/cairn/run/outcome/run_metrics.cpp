#include "cairn/run/outcome/run_metrics.hpp"

namespace cairn {

namespace {

Index core_bytes(const Communicator& communicator, const CoreMatrix& core_matrix) {
  if (const auto* tiles = std::get_if<TiledCore>(&core_matrix)) return communicator.sum(tiles->matrix.own_bytes());
  constexpr Index entry = sizeof(double);
  if (std::holds_alternative<DiagonalCore>(core_matrix)) return core_matrix_rows(core_matrix) * entry;
  if (std::holds_alternative<DenseCore>(core_matrix))
    return core_matrix_rows(core_matrix) * core_matrix_columns(core_matrix) * entry;
  return 0;
}

template <class T>
FactorSizes sizes_of(const Communicator& communicator, const Data<T>& data, const Approximation<T>& approximation) {
  constexpr Index entry = sizeof(T);
  FactorSizes sizes;
  sizes.objects = data.objects->size();
  if (data.right) sizes.right_objects = data.right->size();
  sizes.dimension = data.dimension();
  sizes.left_columns = approximation.left.columns();
  sizes.meaning = approximation.meaning;
  sizes.core_matrix = core_layout(approximation.core_matrix);
  sizes.core_bytes = core_bytes(communicator, approximation.core_matrix);
  if (const auto* tiles = std::get_if<TiledCore>(&approximation.core_matrix)) {
    sizes.nonzeros = communicator.sum(approximation.left.sparse().own_entries());
    sizes.left_bytes = sizes.nonzeros * (static_cast<Index>(sizeof(Index)) + entry);
    sizes.core_value = name_of(tiles->matrix.number());
    sizes.core_on_disk = !tiles->matrix.in_memory();
  } else if (approximation.left.is_stored()) {
    sizes.left_bytes = approximation.left.rows() * approximation.left.columns() * entry;
    if (approximation.right) sizes.left_bytes += approximation.right->rows() * approximation.right->columns() * entry;
  }
  return sizes;
}

}  // namespace

template <class T>
RunMetrics metrics_of(const Communicator& communicator, const Data<T>& data, const ExactMatrix<T>& exact,
                      const Computed<T>& computed) {
  RunMetrics metrics;
  metrics.description = computed.description;
  metrics.method = computed.approximation.report;
  metrics.factors = sizes_of(communicator, data, computed.approximation);
  metrics.restored_evaluations = computed.restored_evaluations;
  if (const auto* geodesic = dynamic_cast<const Geodesic*>(exact.sources.get())) {
    metrics.flips = geodesic->flips();
    metrics.geodesics = geodesic->check();
  }
  if (metrics.method.flips.edges > 0) metrics.flips = metrics.method.flips;
  return metrics;
}

template RunMetrics metrics_of(const Communicator&, const Data<float>&, const ExactMatrix<float>&,
                               const Computed<float>&);
template RunMetrics metrics_of(const Communicator&, const Data<double>&, const ExactMatrix<double>&,
                               const Computed<double>&);

}  // namespace cairn
