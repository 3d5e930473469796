#include "report/figures.hpp"

namespace cairn::app {

namespace {

Index joining_bytes(const Communicator& communicator, const Joining& joining) {
  if (const auto* tiles = std::get_if<TilesJoining>(&joining)) return communicator.sum(tiles->matrix.own_bytes());
  constexpr Index entry = sizeof(double);
  if (std::holds_alternative<DiagonalJoining>(joining)) return joining_rows(joining) * entry;
  if (std::holds_alternative<DenseJoining>(joining)) return joining_rows(joining) * joining_columns(joining) * entry;
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
  sizes.joining = joining_layout(approximation.joining);
  sizes.joining_bytes = joining_bytes(communicator, approximation.joining);
  if (const auto* tiles = std::get_if<TilesJoining>(&approximation.joining)) {
    sizes.nonzeros = communicator.sum(approximation.left.sparse().own_entries());
    sizes.left_bytes = sizes.nonzeros * (static_cast<Index>(sizeof(Index)) + entry);
    sizes.joining_value = name_of(tiles->matrix.number());
    sizes.joining_on_disk = !tiles->matrix.in_memory();
  } else {
    sizes.left_bytes = approximation.left.rows() * approximation.left.columns() * entry;
    if (approximation.right) sizes.left_bytes += approximation.right->rows() * approximation.right->columns() * entry;
  }
  return sizes;
}

}  // namespace

template <class T>
RunFigures figures_of(const Communicator& communicator, const Data<T>& data, const ExactMatrix<T>& exact,
                      const Computed<T>& computed) {
  RunFigures figures;
  figures.description = computed.description;
  figures.method = computed.approximation.report;
  figures.factors = sizes_of(communicator, data, computed.approximation);
  figures.restored_evaluations = computed.restored_evaluations;
  if (const auto* geodesic = dynamic_cast<const Geodesic*>(exact.sources.get())) {
    figures.flips = geodesic->flips();
    figures.geodesics = geodesic->check();
  }
  if (figures.method.flips.edges > 0) figures.flips = figures.method.flips;
  return figures;
}

template RunFigures figures_of(const Communicator&, const Data<float>&, const ExactMatrix<float>&,
                               const Computed<float>&);
template RunFigures figures_of(const Communicator&, const Data<double>&, const ExactMatrix<double>&,
                               const Computed<double>&);

}  // namespace cairn::app
