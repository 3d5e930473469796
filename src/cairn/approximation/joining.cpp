#include "cairn/approximation/joining.hpp"

#include "cairn/base/error.hpp"

namespace cairn {

Joining copy_of(const Joining& joining) {
  if (const auto* dense = std::get_if<DenseJoining>(&joining)) return DenseJoining{dense->matrix.copy()};
  if (const auto* diagonal = std::get_if<DiagonalJoining>(&joining)) return *diagonal;
  if (const auto* identity = std::get_if<IdentityJoining>(&joining)) return *identity;
  throw Error(ErrorKind::internal, "a joining matrix in tiles is not copied");
}

Index joining_rows(const Joining& joining) {
  if (const auto* identity = std::get_if<IdentityJoining>(&joining)) return identity->size;
  if (const auto* diagonal = std::get_if<DiagonalJoining>(&joining)) {
    return static_cast<Index>(diagonal->values.size());
  }
  if (const auto* tiles = std::get_if<TilesJoining>(&joining)) return tiles->matrix.size();
  return std::get<DenseJoining>(joining).matrix.rows();
}

Index joining_columns(const Joining& joining) {
  const auto* dense = std::get_if<DenseJoining>(&joining);
  return dense != nullptr ? dense->matrix.columns() : joining_rows(joining);
}

const char* joining_layout(const Joining& joining) {
  if (std::holds_alternative<IdentityJoining>(joining)) return "identity";
  if (std::holds_alternative<TilesJoining>(joining)) return "symmetric-tiles";
  return std::holds_alternative<DiagonalJoining>(joining) ? "diagonal" : "dense";
}

}  // namespace cairn
