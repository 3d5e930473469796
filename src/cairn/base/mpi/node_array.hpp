// Values held once per node.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/memory_file.hpp"

namespace cairn {

namespace detail {

/// Shared memory of the ranks of a node: a window of MPI or, if MPI provides none, a file in memory, which is logged
/// once. Freed collectively over the node.
class NodeWindow {
 public:
  /// Allocates on the node of every rank of `communicator`. @throws Error(resource) on all of them if one node lacks
  /// space. Collective over `communicator`.
  NodeWindow(const Communicator& communicator, Index bytes);
  ~NodeWindow();
  NodeWindow(const NodeWindow&) = delete;
  NodeWindow& operator=(const NodeWindow&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] const Communicator& node() const { return *node_; }
  /// Makes earlier writes of every rank visible to all ranks of the node. Collective over the node.
  void publish() const;

 private:
  [[nodiscard]] bool allocate_window(const Communicator& communicator, Index size);
  [[nodiscard]] void* window_data() const;
  void free_window();

  std::shared_ptr<const Communicator> node_;  // shared: the communicator may end before
  Index number_;                              // identifies it among the windows of the node
  MPI_Win window_ = MPI_WIN_NULL;
  std::unique_ptr<MemoryFile> file_;
  void* data_ = nullptr;
};

}  // namespace detail

/// `size` values of T that all ranks of a node share: data that an algorithm needs whole (a graph, a sparse operator)
/// is held once per node, not once per rank. Move-only: the memory is freed with its last handle, collectively over the
/// node. All ranks must therefore create handles together, explicitly by share().
template <class T>
class NodeArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  NodeArray() = default;
  NodeArray(NodeArray&& other) noexcept
      : window_(std::move(other.window_)), size_(std::exchange(other.size_, Index{0})) {}
  NodeArray& operator=(NodeArray&& other) noexcept {
    window_ = std::move(other.window_);
    size_ = std::exchange(other.size_, Index{0});
    return *this;
  }
  NodeArray(const NodeArray&) = delete;
  NodeArray& operator=(const NodeArray&) = delete;
  ~NodeArray() = default;
  /// Uninitialized. @throws Error(resource) on all ranks if the shared memory of one node is too small. Collective.
  NodeArray(const Communicator& communicator, Index size)
      : window_(std::make_shared<detail::NodeWindow>(communicator, size * static_cast<Index>(sizeof(T)))),
        size_(size) {}

  /// Another handle to the same memory. Every rank of the node creates it and releases it.
  [[nodiscard]] NodeArray share() const {
    NodeArray other;
    other.window_ = window_;
    other.size_ = size_;
    return other;
  }

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T& operator[](Index i) const { return data()[i]; }
  [[nodiscard]] std::span<const T> values() const { return {data(), static_cast<std::size_t>(size_)}; }

  /// To be written by one rank of the node, or by several in disjoint places; then call publish().
  [[nodiscard]] std::span<T> writable() { return {data(), static_cast<std::size_t>(size_)}; }
  /// The ranks that share the array; usually its rank 0 writes.
  [[nodiscard]] const Communicator& node() const { return window_->node(); }
  /// Collective over the node.
  void publish() const { window_->publish(); }

 private:
  [[nodiscard]] T* data() const { return window_ ? static_cast<T*>(window_->data()) : nullptr; }
  std::shared_ptr<detail::NodeWindow> window_;
  Index size_ = 0;
};

/// The values of all ranks of `communicator` in rank order, once per node: one rank of each node gathers them, in
/// pieces. Collective.
template <class T>
[[nodiscard]] NodeArray<T> replicate_on_nodes(const Communicator& communicator, std::span<const T> mine) {
  // Pieces travel to all ranks by broadcast from their owner; one rank of each node keeps them.
  constexpr Index piece_bytes = Index{16} << 20;
  const std::vector<Index> sizes = communicator.all_gather_one(static_cast<Index>(mine.size()));
  Index total = 0;
  for (const Index size : sizes) total += size;
  NodeArray<T> result(communicator, total);
  const bool keeps = result.node().is_root();
  constexpr Index piece = piece_bytes / static_cast<Index>(sizeof(T));
  std::vector<T> values;
  Index offset = 0;
  for (int r = 0; r < communicator.size(); ++r) {
    const Index size = sizes[r];
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

}  // namespace cairn
