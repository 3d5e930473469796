// An owned MPI communicator, with every MPI call of Cairn that transfers typed data.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/reused_arrays.hpp"

namespace cairn {

namespace detail {
enum class Reduction { sum, minimum, maximum };
enum class Number { f32, f64, i32, i64, u64 };
template <class T>
constexpr Number number_kind() {
  if constexpr (std::is_same_v<T, float>)
    return Number::f32;
  else if constexpr (std::is_same_v<T, double>)
    return Number::f64;
  else if constexpr (std::is_signed_v<T> && std::is_integral_v<T> && sizeof(T) == 4)
    return Number::i32;
  else if constexpr (std::is_signed_v<T> && std::is_integral_v<T> && sizeof(T) == 8)
    return Number::i64;
  else {
    static_assert(std::is_unsigned_v<T> && sizeof(T) == 8, "no MPI reduction for this type");
    return Number::u64;
  }
}
}  // namespace detail

/// Owns a duplicate of an MPI communicator, so that its messages are separate from those of other libraries.
///
/// Counts are 64 bits: transfers beyond MPI's 32-bit counts are cut into pieces here and nowhere else. An MPI error
/// prints one message and aborts all ranks with the exit code of Error(internal): inside a collective call, ranks can
/// no longer agree on anything. Unless stated otherwise, a member is collective: every rank calls it, in the same
/// order. Members that return data of other ranks throw Error(resource) on every rank if one rank lacks the memory.
class Communicator {
 public:
  /// Duplicates `original`. Collective over it.
  explicit Communicator(MPI_Comm original);
  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&&) = delete;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }
  [[nodiscard]] MPI_Comm handle() const { return handle_; }

  void barrier() const;

  /// `values` of `root` on every rank; spans have the same length on all ranks.
  template <class T>
  void broadcast(std::span<T> values, int root) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(values.data(), static_cast<Index>(values.size_bytes()), root);
  }
  template <class T>
  void broadcast(std::vector<T>& values, int root) const {
    auto size = static_cast<Index>(values.size());
    broadcast(std::span(&size, 1), root);
    make_room(size * static_cast<Index>(sizeof(T)), [&] { values.resize(size); });
    broadcast(std::span(values), root);
  }
  void broadcast(std::string& text, int root) const;

  /// Elementwise over ranks, in place; every rank gets the result.
  template <class T>
  void sum(std::span<T> values) const {
    reduce(values, detail::Reduction::sum);
  }
  template <class T>
  void minimum(std::span<T> values) const {
    reduce(values, detail::Reduction::minimum);
  }
  template <class T>
  void maximum(std::span<T> values) const {
    reduce(values, detail::Reduction::maximum);
  }
  template <class T>
  [[nodiscard]] T sum(T value) const {
    return sum(std::span(&value, 1)), value;
  }
  template <class T>
  [[nodiscard]] T minimum(T value) const {
    return minimum(std::span(&value, 1)), value;
  }
  template <class T>
  [[nodiscard]] T maximum(T value) const {
    return maximum(std::span(&value, 1)), value;
  }

  /// The values of all ranks, in rank order; their number may differ between ranks.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    const std::vector<Index> bytes = gather_sizes(static_cast<Index>(mine.size_bytes()));
    Index total = 0;
    for (const Index b : bytes) total += b;
    make_room(total, [&] { all.resize(static_cast<std::size_t>(total) / sizeof(T)); });
    all_gather_bytes(mine.data(), bytes, all.data());
    return all;
  }
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(const std::vector<T>& mine) const {
    return all_gather(std::span<const T>(mine));
  }
  template <class T>
  [[nodiscard]] std::vector<T> all_gather_one(const T& mine) const {
    return all_gather(std::span<const T>(&mine, 1));
  }

  /// Each rank's send[r] goes to rank r; element r of the result came from rank r.
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> exchange(const std::vector<std::vector<T>>& send) const {
    std::vector<std::vector<T>> received(send.size());
    exchange_into(send, [&](std::size_t r, Index count) {
      received[r].resize(count);
      return received[r].data();
    });
    return received;
  }

  /// The same into memory that later calls reuse.
  template <class T>
  void exchange(const std::vector<std::vector<T>>& send, ReusedArrays<T>& received) const {
    exchange_into(send, [&](std::size_t r, Index count) { return received.prepare(r, count); });
  }

  /// The ranks of this rank's node: created by the first call and kept. Collective in the first call.
  [[nodiscard]] const Communicator& node() const { return *shared_node(); }
  /// The same, for objects that may outlive this communicator.
  [[nodiscard]] std::shared_ptr<const Communicator> shared_node() const;

 private:
  Communicator() = default;
  // target(r, count) returns where to store the `count` values of rank r; called in rank order.
  template <class T, class Target>
  void exchange_into(const std::vector<std::vector<T>>& send, Target target) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<Index> send_bytes;
    std::vector<const void*> sources;
    for (const auto& part : send) {
      send_bytes.push_back(static_cast<Index>(part.size() * sizeof(T)));
      sources.push_back(part.data());
    }
    const std::vector<Index> receive_bytes = exchange_sizes(send_bytes);
    std::vector<void*> targets(receive_bytes.size());
    all_make_room([&] {
      for (std::size_t r = 0; r < receive_bytes.size(); ++r) {
        targets[r] = target(r, receive_bytes[r] / static_cast<Index>(sizeof(T)));
      }
    });
    exchange_bytes(sources, send_bytes, targets, receive_bytes);
  }
  template <class T>
  void reduce(std::span<T> values, detail::Reduction reduction) const {
    reduce_numbers(values.data(), static_cast<Index>(values.size()), detail::number_kind<T>(), reduction);
  }
  // Receiving needs memory, which one rank alone may lack: all ranks then throw Error(resource), since no rank could
  // notify the others once they wait for it.
  void all_make_room(const std::function<void()>& allocate) const;
  // The same for a size that all ranks know: small ones skip the agreement.
  void make_room(Index bytes, const std::function<void()>& allocate) const;
  void broadcast_bytes(void* data, Index bytes, int root) const;
  void reduce_numbers(void* data, Index count, detail::Number number, detail::Reduction reduction) const;
  [[nodiscard]] std::vector<Index> gather_sizes(Index mine) const;
  void all_gather_bytes(const void* mine, const std::vector<Index>& bytes, void* all) const;
  [[nodiscard]] std::vector<Index> exchange_sizes(const std::vector<Index>& send) const;
  void exchange_bytes(const std::vector<const void*>& sources, const std::vector<Index>& send_bytes,
                      const std::vector<void*>& targets, const std::vector<Index>& receive_bytes) const;

  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  mutable std::shared_ptr<const Communicator> node_;  // created on first use
};

}  // namespace cairn
