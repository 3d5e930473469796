#include "cairn/approximation/landmark_rows.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/schedule/on_threads.hpp"
#include "cairn/linalg/dense/blas_threads.hpp"

namespace cairn {

namespace {

constexpr Index tile_bytes = Index{1} << 20;  // in a cache until it has been used

template <class T>
Index rows_of_tile(const Similarity<T>& similarity, Index columns) {
  const Index most = std::min(tile_bytes / static_cast<Index>(sizeof(T)), similarity.traits().most_entries_in_tile);
  return std::clamp<Index>(most / std::max<Index>(1, columns), 1, 1024);
}

}  // namespace

template <class T>
void LandmarkRows<T>::visit(int threads, const std::function<void(Range rows, MatrixView<const T> values)>& use) const {
  if (similarity_ == nullptr) throw rows_not_kept();
  const Range own = range();
  const Index height = rows_of_tile(*similarity_, columns());
  const BlasThreads serial(1);
  std::vector<Buffer<T>> of_threads(static_cast<std::size_t>(threads));
  on_threads(threads, (own.size() + height - 1) / height, [&](Index tile) {
    const Index begin = own.begin + tile * height;
    const Range rows{begin, std::min(begin + height, own.end)};
    Buffer<T>& values = of_threads[static_cast<std::size_t>(omp_get_thread_num())];
    if (values.size() == 0) values = Buffer<T>(height * columns());  // of all tiles: new memory costs more than they do
    const MatrixView<T> view(values.data(), rows.size(), columns());
    similarity_->tile(*objects_->block(rows), *landmarks_, view);
    use(rows, {values.data(), rows.size(), columns()});
  });
}

template <class T>
Buffer<T> LandmarkRows<T>::at(const Execution& execution, std::span<const Index> ids) const {
  if (similarity_ == nullptr) throw rows_not_kept();
  const std::unique_ptr<ObjectBlock> objects = objects_->gather(execution.communicator, ids);
  return collectively(execution.communicator, [&] {
    Buffer<T> values(std::ssize(ids) * columns());
    if (!ids.empty()) similarity_->tile(*objects, *landmarks_, {values.data(), std::ssize(ids), columns()});
    return values;
  });
}

template class LandmarkRows<float>;
template class LandmarkRows<double>;

}  // namespace cairn
