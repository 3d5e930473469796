// Lengths as rows of a table, in the requested number type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>

#include "cairn/base/matrix_view.hpp"

namespace cairn {

/// Rows to write: a row per source, a column per target.
using LengthRows =
    std::variant<MatrixView<std::uint16_t>, MatrixView<std::uint32_t>, MatrixView<float>, MatrixView<double>>;

/// Table value of a pair without a path: the largest integer of the type, or infinity.
template <class Number>
inline constexpr Number no_path = std::is_floating_point_v<Number> ? std::numeric_limits<Number>::infinity()
                                                                   : std::numeric_limits<Number>::max();

/// The largest length that can be written.
template <class Number>
inline constexpr double longest_written = static_cast<double>(std::is_floating_point_v<Number>
                                                                  ? std::numeric_limits<Number>::max()
                                                                  : std::numeric_limits<Number>::max() - 1);

/// Summary of written rows. Positions are those in the lists of sources and targets.
struct LengthsFound {
  struct Pair {
    Index source = 0, target = 0;
    double length = 0.0;
  };
  double longest = 0.0;                         ///< longest length, before division by the scale
  Index without_path = 0;                       ///< number of pairs without a path
  std::optional<Pair> unreached{}, too_long{};  ///< first pair without a path; a pair whose length the type cannot hold

  /// Adds the summary of other rows. @param first  position of their first source
  void add(const LengthsFound& other, Index first) {
    const auto take = [first](std::optional<Pair>& own, const std::optional<Pair>& theirs) {
      if (!own && theirs) own = Pair{theirs->source + first, theirs->target, theirs->length};
    };
    longest = std::max(longest, other.longest);
    without_path += other.without_path;
    take(unreached, other.unreached);
    take(too_long, other.too_long);
  }
};

/// out(a, b) = lengths[b * stride + a] / scale, rounded to the nearest if Number is an integer; no_path if it is
/// not_reached (see hierarchy_sweep.hpp). D is uint16, uint32 or double. Local.
template <class D, class Number>
[[nodiscard]] LengthsFound write_lengths(const D* lengths, Index stride, double scale, MatrixView<Number> out);

}  // namespace cairn
