#include "cairn/similarity/shortest_paths/length_rows.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "cairn/similarity/shortest_paths/hierarchy_sweep.hpp"

namespace cairn {

namespace {

constexpr Index edge = 64;  // rows and columns of a tile, which stays in the L1 cache

typedef std::uint16_t Eighths __attribute__((vector_size(16)));
typedef std::uint32_t Quarters __attribute__((vector_size(16)));
typedef std::uint64_t Halves __attribute__((vector_size(16)));

// Transposes 8 x 8 numbers of 16 bits by exchanging eighths, quarters and halves of registers.
void transpose_eight(const std::uint16_t* in, Index stride, std::uint16_t* out) {
  std::array<Eighths, 8> rows;
  for (std::size_t k = 0; k < 8; ++k) std::memcpy(&rows[k], in + static_cast<Index>(k) * stride, sizeof(Eighths));
  std::array<Quarters, 8> pairs;
  for (std::size_t k = 0; k < 8; k += 2) {
    pairs[k] = reinterpret_cast<Quarters>(__builtin_shufflevector(rows[k], rows[k + 1], 0, 8, 1, 9, 2, 10, 3, 11));
    pairs[k + 1] =
        reinterpret_cast<Quarters>(__builtin_shufflevector(rows[k], rows[k + 1], 4, 12, 5, 13, 6, 14, 7, 15));
  }
  std::array<Halves, 8> fours;  // 0, 1: columns 0 to 3 of rows 0 to 3; 2, 3: columns 4 to 7; then rows 4 to 7
  for (std::size_t k = 0; k < 8; k += 4) {
    for (std::size_t half = 0; half < 2; ++half) {
      const Quarters a = pairs[k + half], b = pairs[k + 2 + half];
      fours[k + 2 * half] = reinterpret_cast<Halves>(__builtin_shufflevector(a, b, 0, 4, 1, 5));
      fours[k + 2 * half + 1] = reinterpret_cast<Halves>(__builtin_shufflevector(a, b, 2, 6, 3, 7));
    }
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const Halves low = __builtin_shufflevector(fours[k], fours[k + 4], 0, 2);
    const Halves high = __builtin_shufflevector(fours[k], fours[k + 4], 1, 3);
    std::memcpy(out + static_cast<Index>(2 * k) * edge, &low, sizeof low);
    std::memcpy(out + static_cast<Index>(2 * k + 1) * edge, &high, sizeof high);
  }
}

// tile[a * edge + b] = lengths[b * stride + a] for a < rows, b < columns.
template <class D>
void transpose(const D* lengths, Index stride, Index rows, Index columns, D* tile) {
  Index whole_rows = 0, whole_columns = 0;
  if constexpr (sizeof(D) == 2) {
    whole_rows = rows / 8 * 8, whole_columns = columns / 8 * 8;
    for (Index b = 0; b < whole_columns; b += 8) {
      for (Index a = 0; a < whole_rows; a += 8) transpose_eight(lengths + b * stride + a, stride, tile + a * edge + b);
    }
  }
  for (Index b = 0; b < columns; ++b) {
    for (Index a = b < whole_columns ? whole_rows : 0; a < rows; ++a) tile[a * edge + b] = lengths[b * stride + a];
  }
}

// Converts lengths of one row, all of them reached and none too long.
template <class D, class Number>
void convert(const D* lengths, Index count, Number* out) {
  for (Index b = 0; b < count; ++b) out[b] = static_cast<Number>(lengths[b]);
}

// Converts any lengths. @param at  pair of the first
template <class D, class Number>
void convert(const D* lengths, Index count, double scale, LengthsFound::Pair at, Number* out, LengthsFound& found) {
  for (Index b = 0; b < count; ++b, ++at.target) {
    if (lengths[b] >= not_reached<D>) {
      out[b] = no_path<Number>;
      ++found.without_path;
      if (!found.unreached) found.unreached = at;
      continue;
    }
    at.length = static_cast<double>(lengths[b]);
    found.longest = std::max(found.longest, at.length);
    double value = at.length / scale;
    if constexpr (!std::is_floating_point_v<Number>) value = std::nearbyint(value);
    const bool fits = value <= longest_written<Number>;
    if (!fits && !found.too_long) found.too_long = at;
    out[b] = fits ? static_cast<Number>(value) : no_path<Number>;
  }
}

template <class D, class Number>
constexpr bool exact_as_it_is = std::is_floating_point_v<Number> || !std::is_floating_point_v<D>;

}  // namespace

template <class D, class Number>
LengthsFound write_lengths(const D* lengths, Index stride, double scale, MatrixView<Number> out) {
  alignas(64) std::array<D, static_cast<std::size_t>(edge * edge)> tile;
  LengthsFound found;
  for (Index first = 0; first < out.columns; first += edge) {
    const Index columns = std::min(edge, out.columns - first);
    for (Index row = 0; row < out.rows; row += edge) {
      const Index rows = std::min(edge, out.rows - row);
      transpose(lengths + first * stride + row, stride, rows, columns, tile.data());
      for (Index a = 0; a < rows; ++a) {
        const D* const own = tile.data() + a * edge;
        D most = 0;
        for (Index b = 0; b < columns; ++b) most = std::max(most, own[b]);
        const bool plain = exact_as_it_is<D, Number> && scale == 1.0 && most < not_reached<D> &&
                           static_cast<double>(most) <= longest_written<Number>;
        Number* const to = out.row(row + a) + first;
        if (plain) {
          convert(own, columns, to);
          found.longest = std::max(found.longest, static_cast<double>(most));
        } else {
          convert(own, columns, scale, {row + a, first, 0.0}, to, found);
        }
      }
    }
  }
  return found;
}

#define CAIRN_INSTANTIATE(D)                                                               \
  template LengthsFound write_lengths(const D*, Index, double, MatrixView<std::uint16_t>); \
  template LengthsFound write_lengths(const D*, Index, double, MatrixView<std::uint32_t>); \
  template LengthsFound write_lengths(const D*, Index, double, MatrixView<float>);         \
  template LengthsFound write_lengths(const D*, Index, double, MatrixView<double>);
CAIRN_INSTANTIATE(std::uint16_t)
CAIRN_INSTANTIATE(std::uint32_t)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
