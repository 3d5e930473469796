#include "cairn/data/catalog/data_size.hpp"

#include <algorithm>

namespace cairn {

template <class T>
DataSize size_of(const Communicator& communicator, const Data<T>& data) {
  const ObjectSet& objects = *data.objects;
  DataSize size{.objects = objects.size(), .dimension = data.dimension()};
  if (const PointSet<T>* points = data.points(); points != nullptr && points->is_sparse()) {
    size.point_entries = communicator.sum(points->entries().own_entries()) / points->size() + 1;
  }
  if (data.right) size.right_objects = data.right->size();
  size.row_texts = communicator.maximum(std::ssize(objects.labels())) > 0 ? 1 : 0;
  objects.add_sizes(communicator, static_cast<Index>(sizeof(T)), size);
  if (!data.numbers.listed) return size;
  if (size.document_bytes > 0)
    size.document_bytes += static_cast<Index>(sizeof(Index));
  else
    size.row_texts = std::max<Index>(1, size.row_texts);
  return size;
}

template DataSize size_of(const Communicator&, const Data<float>&);
template DataSize size_of(const Communicator&, const Data<double>&);

}  // namespace cairn
