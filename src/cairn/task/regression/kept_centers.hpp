// The centers of a model, as its file keeps them.
#pragma once

#include <string>
#include <vector>

#include "cairn/store/files/model_file.hpp"
#include "cairn/store/result/result_file.hpp"
#include "cairn/task/task.hpp"

namespace cairn {

/// The landmarks of a result that are among its own rows, ascending; none: they are other objects, or unknown. Local.
template <class T>
[[nodiscard]] std::vector<Index> own_landmarks(const StoredResult<T>& result);

/// Adds to `centers` the objects of its rows, if they are points that new ones can be compared with; otherwise a
/// warning. @param path  of the result that the matrix belongs to. Collective.
template <class T>
void keep_points(const Communicator& communicator, MatrixOfResult<T>& matrix, const ResultDescription& description,
                 const std::string& path, StoredCenters& centers, std::vector<std::string>& warnings);

}  // namespace cairn
