#include "cairn/linalg/sparse/sparse_rows.hpp"

#include "cairn/base/error.hpp"

namespace cairn {

template <class T>
SparseRows<T>::SparseRows(const RowPartition& partition, int rank, Index columns, std::vector<Index> starts,
                          std::vector<Index> indices, std::vector<T> values)
    : partition_(partition),
      range_(partition.range(rank)),
      columns_(columns),
      starts_(std::move(starts)),
      indices_(std::move(indices)),
      values_(std::move(values)) {
  const auto rows = static_cast<std::size_t>(range_.size());
  if (starts_.size() != rows + 1 || starts_.front() != 0 || starts_.back() != static_cast<Index>(indices_.size()) ||
      indices_.size() != values_.size()) {
    throw Error(ErrorKind::internal, "starts, indices and values of a sparse matrix do not fit together");
  }
}

template class SparseRows<float>;
template class SparseRows<double>;

}  // namespace cairn
