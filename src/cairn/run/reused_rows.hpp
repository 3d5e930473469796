// P of an earlier result, for another similarity of the same objects. Private to this folder.
#pragma once

#include <string>

#include "cairn/landmark/landmarks.hpp"
#include "cairn/linalg/sparse/sparse_rows.hpp"
#include "cairn/run/objects.hpp"

namespace cairn {

template <class T>
struct ReusedRows {
  SparseRows<T> rows;      ///< P
  Landmarks<T> landmarks;  ///< its columns: the numbers only
  std::string selection;   ///< how they were chosen
  std::string path;        ///< of the result
};

/// @throws Error(input) where it is no biharmonic result, or one of other objects or another scaling; Error(usage)
/// where it is in another precision. Collective.
template <class T>
[[nodiscard]] ReusedRows<T> read_reused_rows(const Session& session, const Objects<T>& objects,
                                             const std::string& path);

}  // namespace cairn
