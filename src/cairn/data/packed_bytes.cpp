#include "cairn/data/packed_bytes.hpp"

#include <algorithm>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/points/point_set.hpp"

namespace cairn {

Index packed_bytes(const Communicator& communicator, const ObjectSet& objects) {
  Index entries = -1, entry_bytes = 0;
  const auto count = [&]<class T>(const PointSet<T>* points) {
    if (points == nullptr || !points->is_sparse()) return;
    entries = points->entries().own_entries();
    entry_bytes = static_cast<Index>(sizeof(Index) + sizeof(T));
  };
  count(dynamic_cast<const PointSet<double>*>(&objects));
  count(dynamic_cast<const PointSet<float>*>(&objects));
  if (entries >= 0) return static_cast<Index>(sizeof(Index)) + communicator.sum(entries) * entry_bytes / objects.size();
  const bool mine = objects.range().contains(0);
  const auto bytes = collectively(communicator, [&] {
    return mine ? static_cast<Index>(objects.pack({0, 1}).size()) : Index{0};
  });
  return std::max<Index>(1, communicator.maximum(bytes));
}

}  // namespace cairn
