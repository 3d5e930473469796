// Columns of K in pieces by source, and their way to the owners of the rows. Private to source_columns.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "cairn/base/each_level.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/reused_arrays.hpp"
#include "cairn/base/past_caches.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/source_columns.hpp"

namespace cairn::column_delivery {

// A band of columns for the vertices at some places: the unit of work.
struct Piece {
  Range columns, places;

  [[nodiscard]] Index values() const { return columns.size() * places.size(); }
};

// Consecutive columns, cut into bands, and these by places of vertices into parts. Pieces are assigned to ranks, band
// by band; a rank owns consecutive ones.
struct Slab {
  Index number = 0;
  Range columns;
  Index band = 1;   // columns of a band; the last has fewer
  Index parts = 1;  // of a band
  Index vertices = 0;

  [[nodiscard]] Index pieces() const { return (columns.size() + band - 1) / band * parts; }
  [[nodiscard]] Piece piece(Index p) const {
    const Index begin = columns.begin + p / parts * band, part = p % parts;
    return {{begin, std::min(begin + band, columns.end)}, {vertices * part / parts, vertices * (part + 1) / parts}};
  }
  [[nodiscard]] Range pieces_of(int rank, int ranks) const {
    return {pieces() * rank / ranks, pieces() * (rank + 1) / ranks};
  }
};

// out[k] = values[k] with streaming stores, four at a time, aligned to 16 bytes.
template <class Number, class T>
[[gnu::always_inline]] inline void widen_fours(const Number* values, Index fours, T* out) {
  typedef Number Narrow __attribute__((vector_size(4 * sizeof(Number))));
  typedef T Wide __attribute__((vector_size(4 * sizeof(T))));
  for (Index k = 0; k < fours; ++k) {
    Narrow four;
    std::memcpy(&four, values + 4 * k, sizeof four);
    store_past_caches(out + 4 * k, __builtin_convertvector(four, Wide));
  }
}
CAIRN_EACH_LEVEL static void widen_most(const std::uint16_t* values, Index fours, double* out) {
  widen_fours(values, fours, out);
}
template <class Number, class T>
void widen_most(const Number* values, Index fours, T* out) {
  widen_fours(values, fours, out);
}

template <class Number, class T>
void widen(const Number* values, Index count, T* out) {
  if constexpr (std::is_integral_v<T>) {  // the numbers that are delivered
    std::copy_n(values, count, out);
  } else {
    Index k = 0;
    for (; k < count && reinterpret_cast<std::uintptr_t>(out + k) % 16 != 0; ++k) out[k] = static_cast<T>(values[k]);
    const Index fours = (count - k) / 4;
    widen_most(values + k, fours, out + k);
    for (k += 4 * fours; k < count; ++k) out[k] = static_cast<T>(values[k]);
  }
}

// Sends the columns of a slab in whole bands to the owners of the rows, some rows at a time and all columns of a row at
// once. No rank holds a second copy of more than some MB.
template <class T>
class Delivery {
 public:
  Delivery(const Communicator& communicator, const Slab& slab, std::span<std::byte* const> own, RowBlock<T>& out,
           Index first_column)
      : communicator_(communicator), slab_(slab), own_(own), out_(out), first_column_(first_column) {}

  template <class Number>
  void run() {
    const int me = communicator_.rank(), ranks = communicator_.size();
    const Index row_bytes = std::max<Index>(slab_.columns.size() * static_cast<Index>(sizeof(Number)), 1);
    const Index together = std::max<Index>(delivered_column_bytes / row_bytes, 1);  // rows
    Index most = 0;
    for (int r = 0; r < ranks; ++r) most = std::max(most, out_.partition().range(r).size());
    std::vector<std::vector<std::byte>> send(ranks);
    ReusedArrays<std::byte> received;
    for (Index begin = 0; begin < most; begin += together) {
      const auto part = [&](int rank) {
        const Range all = out_.partition().range(rank);
        return Range{std::min(all.begin + begin, all.end), std::min(all.begin + begin + together, all.end)};
      };
      collectively(communicator_, [&] {
        for (int r = 0; r < ranks; ++r) pack<Number>(r == me ? Range{} : part(r), send[r]);
      });
      communicator_.exchange(send, received);
      for (int r = 0; r < ranks; ++r) {
        const std::byte* values = r == me ? nullptr : received[r].data();
        place<Number>(r, part(me), values);
      }
      Watchdog::beat();
    }
  }

 private:
  // Values of an own band, starting at `vertex`.
  [[nodiscard]] std::byte* own_band(Index b, Index vertex, Index number_bytes) {
    return own_[b - slab_.pieces_of(communicator_.rank(), communicator_.size()).begin] +
           vertex * slab_.piece(b).columns.size() * number_bytes;
  }

  // Packs own bands of some rows, one after another.
  template <class Number>
  void pack(Range rows, std::vector<std::byte>& piece) {
    const Range bands = slab_.pieces_of(communicator_.rank(), communicator_.size());
    Index bytes = 0;
    const auto size = [&](Index b) {
      return rows.size() * slab_.piece(b).columns.size() * static_cast<Index>(sizeof(Number));
    };
    for (Index b = bands.begin; b < bands.end; ++b) bytes += size(b);
    piece.resize(bytes);
    bytes = 0;
    for (Index b = bands.begin; b < bands.end && !rows.empty(); bytes += size(b++)) {
      std::copy_n(own_band(b, rows.begin, sizeof(Number)), size(b), piece.data() + bytes);
    }
  }

  // Writes the bands of a rank to own rows. @param values  as packed by that rank; null: own bands
  template <class Number>
  void place(int rank, Range rows, const std::byte* values) {
    const Range bands = slab_.pieces_of(rank, communicator_.size());
    std::vector<const Number*> from;
    for (Index b = bands.begin; b < bands.end; ++b) {
      const std::byte* const own = values == nullptr ? own_band(b, rows.begin, sizeof(Number)) : values;
      from.push_back(reinterpret_cast<const Number*>(own));
      if (values != nullptr) values += rows.size() * slab_.piece(b).columns.size() * static_cast<Index>(sizeof(Number));
    }
    for (Index v = rows.begin; v < rows.end; ++v) {
      T* const row = out_.row(v).data() + first_column_;
      for (Index b = bands.begin; b < bands.end; ++b) {
        const Range taken = slab_.piece(b).columns;
        widen(from[b - bands.begin] + (v - rows.begin) * taken.size(), taken.size(), row + taken.begin);
      }
    }
    finish_past_caches();
  }

  const Communicator& communicator_;
  const Slab& slab_;
  std::span<std::byte* const> own_;  // own pieces
  RowBlock<T>& out_;
  Index first_column_;
};

// The same of bands in parts, some places of vertices at a time.
template <class T>
class PartDelivery {
 public:
  PartDelivery(const Communicator& communicator, const Slab& slab, std::span<const std::int32_t> order,
               std::span<std::byte* const> own, RowBlock<T>& out, Index first_column)
      : communicator_(communicator),
        slab_(slab),
        order_(order),
        own_(own),
        own_begin_(slab.pieces_of(communicator.rank(), communicator.size()).begin),
        out_(out),
        first_column_(first_column) {}

  template <class Number>
  void run() {
    const int me = communicator_.rank(), ranks = communicator_.size();
    const Index row_bytes = slab_.columns.size() * static_cast<Index>(sizeof(Number));
    const Index together = std::max<Index>(delivered_column_bytes / row_bytes, 1) * ranks;  // places
    std::vector<std::vector<Number>> send(ranks);
    ReusedArrays<Number> received;
    for (Index begin = 0; begin < slab_.vertices; begin += together) {
      const Range places{begin, std::min(begin + together, slab_.vertices)};
      collectively(communicator_, [&] {
        owners_.clear();
        for (Index k = places.begin; k < places.end; ++k) owners_.push_back(out_.partition().owner(order_[k]));
        for (int r = 0; r < ranks; ++r) {
          send[r].clear();
          if (r != me) pack(places, r, send[r]);
        }
      });
      communicator_.exchange(send, received);
      for (int r = 0; r < ranks; ++r) place(r, places, r == me ? nullptr : received[r].data());
      Watchdog::beat();
    }
    finish_past_caches();
  }

 private:
  // Calls use(place, piece, its number) for the places whose vertices belong to a rank, piece by piece of `owner`.
  template <class Use>
  void each(Range places, int owner, int rank, Use use) const {
    const Range pieces = slab_.pieces_of(owner, communicator_.size());
    for (Index p = pieces.begin; p < pieces.end; ++p) {
      const Piece piece = slab_.piece(p);
      const Range taken{std::max(places.begin, piece.places.begin), std::min(places.end, piece.places.end)};
      for (Index k = taken.begin; k < taken.end; ++k) {
        if (owners_[k - places.begin] == rank) use(k, piece, p);
      }
    }
  }

  template <class Number>
  [[nodiscard]] const Number* own_values(Index k, const Piece& piece, Index p) const {
    return reinterpret_cast<const Number*>(own_[p - own_begin_]) + (k - piece.places.begin) * piece.columns.size();
  }

  template <class Number>
  void pack(Range places, int rank, std::vector<Number>& values) const {
    each(places, communicator_.rank(), rank, [&](Index k, const Piece& piece, Index p) {
      const Number* const from = own_values<Number>(k, piece, p);
      values.insert(values.end(), from, from + piece.columns.size());
    });
  }

  // Writes what a rank has for own rows. @param values  as packed by that rank; null: own pieces
  template <class Number>
  void place(int rank, Range places, const Number* values) {
    each(places, rank, communicator_.rank(), [&](Index k, const Piece& piece, Index p) {
      T* const row = out_.row(order_[k]).data() + first_column_;
      widen(values == nullptr ? own_values<Number>(k, piece, p) : values, piece.columns.size(),
            row + piece.columns.begin);
      if (values != nullptr) values += piece.columns.size();
    });
  }

  const Communicator& communicator_;
  const Slab& slab_;
  std::span<const std::int32_t> order_;  // vertices by place
  std::span<std::byte* const> own_;      // own pieces
  Index own_begin_;
  RowBlock<T>& out_;
  Index first_column_;
  std::vector<int> owners_;  // of the rows of the current places
};

}  // namespace cairn::column_delivery
