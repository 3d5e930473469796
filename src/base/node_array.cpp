#include "base/node_array.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/collective_guard.hpp"
#include "base/error.hpp"

namespace cairn {

namespace detail {

// The first rank of the node holds all bytes. An MPI error here is agreed on: it may be a full /dev/shm.
NodeWindow::NodeWindow(Communicator node, Index bytes) : node_(std::move(node)) {
  MPI_Comm_set_errhandler(node_.handle(), MPI_ERRORS_RETURN);
  const MPI_Aint own = node_.is_root() ? static_cast<MPI_Aint>(std::max<Index>(bytes, 1)) : 0;
  void* base = nullptr;
  const int code = MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, node_.handle(), &base, &window_);
  if (code != MPI_SUCCESS) {
    window_ = MPI_WIN_NULL;
    throw Error(ErrorKind::resource, "there is no shared memory for " + std::to_string(bytes) +
                                         " bytes on a node (/dev/shm may be too small)");
  }
  MPI_Aint size = 0;
  int unit = 1;
  MPI_Win_shared_query(window_, 0, &size, &unit, &data_);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

NodeWindow::~NodeWindow() {
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void NodeWindow::publish() const {
  MPI_Win_sync(window_);
  node_.barrier();
  MPI_Win_sync(window_);
}

}  // namespace detail

namespace {

constexpr Index piece_bytes = Index{16} << 20;

}  // namespace

// Pieces travel to all ranks by broadcast from their owner; one rank of each node keeps them.
template <class T>
NodeArray<T> replicate_on_nodes(const Communicator& communicator, std::span<const T> mine) {
  const std::vector<Index> sizes = communicator.all_gather_one(static_cast<Index>(mine.size()));
  Index total = 0;
  for (const Index size : sizes) total += size;
  NodeArray<T> result(communicator, total);
  const bool keeps = result.node().is_root();
  constexpr Index piece = piece_bytes / static_cast<Index>(sizeof(T));
  std::vector<T> values;
  Index offset = 0;
  for (int r = 0; r < communicator.size(); ++r) {
    const Index size = sizes[static_cast<std::size_t>(r)];
    for (Index begin = 0; begin < size; begin += piece) {
      const auto length = static_cast<std::size_t>(std::min(piece, size - begin));
      values.resize(length);
      if (r == communicator.rank()) std::copy_n(mine.begin() + begin, length, values.begin());
      communicator.broadcast(std::span(values), r);
      if (keeps) std::copy_n(values.begin(), length, result.writable().begin() + offset + begin);
    }
    offset += size;
  }
  result.publish();
  return result;
}

template NodeArray<std::int32_t> replicate_on_nodes(const Communicator&, std::span<const std::int32_t>);
template NodeArray<Index> replicate_on_nodes(const Communicator&, std::span<const Index>);
template NodeArray<float> replicate_on_nodes(const Communicator&, std::span<const float>);
template NodeArray<double> replicate_on_nodes(const Communicator&, std::span<const double>);

}  // namespace cairn
