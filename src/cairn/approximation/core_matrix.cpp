#include "cairn/approximation/core_matrix.hpp"

#include "cairn/base/error.hpp"

namespace cairn {

CoreMatrix copy_of(const CoreMatrix& core_matrix) {
  if (const auto* dense = std::get_if<DenseCore>(&core_matrix)) return DenseCore{dense->matrix.copy()};
  if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) return *diagonal;
  if (const auto* identity = std::get_if<IdentityCore>(&core_matrix)) return *identity;
  throw Error(ErrorKind::internal, "a core matrix in tiles is not copied");
}

Index core_matrix_rows(const CoreMatrix& core_matrix) {
  if (const auto* identity = std::get_if<IdentityCore>(&core_matrix)) return identity->size;
  if (const auto* diagonal = std::get_if<DiagonalCore>(&core_matrix)) {
    return static_cast<Index>(diagonal->values.size());
  }
  if (const auto* tiles = std::get_if<TiledCore>(&core_matrix)) return tiles->matrix.size();
  return std::get<DenseCore>(core_matrix).matrix.rows();
}

Index core_matrix_columns(const CoreMatrix& core_matrix) {
  const auto* dense = std::get_if<DenseCore>(&core_matrix);
  return dense != nullptr ? dense->matrix.columns() : core_matrix_rows(core_matrix);
}

const char* core_layout(const CoreMatrix& core_matrix) {
  if (std::holds_alternative<IdentityCore>(core_matrix)) return "identity";
  if (std::holds_alternative<TiledCore>(core_matrix)) return "symmetric-tiles";
  return std::holds_alternative<DiagonalCore>(core_matrix) ? "diagonal" : "dense";
}

}  // namespace cairn
