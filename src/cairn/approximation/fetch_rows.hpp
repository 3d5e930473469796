// Access to rows of a tall factor on ranks that do not own them.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "cairn/base/buffer.hpp"
#include "cairn/base/index.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/linalg/tall/tall_matrix.hpp"

namespace cairn {

/// Largest number of bytes sent to a rank per round: larger buffers are mapped anew each time.
inline constexpr Index row_message_bytes = Index{4} << 20;

/// The rows `ids` (global numbers, any order, repeats allowed, each rank has its own list) of a distributed matrix, in
/// the columns `columns` (the same on every rank): ids.size() x columns.size(), row-major. Sent by their owners in
/// rounds, so that no rank holds more than about 64 MiB of messages however uneven the lists are. Collective.
template <class T>
[[nodiscard]] Buffer<T> fetch_rows(const Communicator& communicator, const RowBlock<T>& factor,
                                   std::span<const Index> ids, Range columns);
/// The same for all columns.
template <class T>
[[nodiscard]] Buffer<T> fetch_rows(const Communicator& communicator, const RowBlock<T>& factor,
                                   std::span<const Index> ids) {
  return fetch_rows(communicator, factor, ids, {0, factor.columns()});
}

/// The same of a matrix that may be held as integers, which are sent as such. Collective.
template <class T>
[[nodiscard]] Buffer<T> fetch_rows(const Communicator& communicator, const TallMatrix<T>& factor,
                                   std::span<const Index> ids) {
  return factor.visit([&]<class N>(const RowBlock<N>& rows) {
    Buffer<N> found = fetch_rows(communicator, rows, ids);
    if constexpr (std::is_same_v<N, T>) {
      return found;
    } else {
      auto numbers = collectively(communicator, [&] { return Buffer<T>(found.size()); });
      std::ranges::transform(found.span(), numbers.data(), [](N value) { return static_cast<T>(value); });
      return numbers;
    }
  });
}

}  // namespace cairn
