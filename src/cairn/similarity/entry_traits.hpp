// Properties of a constructed similarity, the same for all objects.
#pragma once

#include <limits>
#include <string>

#include "cairn/base/index.hpp"

namespace cairn {

/// The end of the scale that is near; it defines "nearest".
enum class Meaning { similarity, distance };

/// Constants of a similarity of two objects. A similarity that wraps another one copies its traits and changes only
/// those that differ.
struct EntryTraits {
  std::string name;  ///< the same as in the descriptor
  Meaning meaning = Meaning::similarity;
  bool defined_for_unseen = true;  ///< false: only between objects of the data set (a precomputed matrix, noise)
  /// K_ij and K_ji may differ by more than rounding, and the similarity is their mean: column j holds the values from
  /// j, and blocks with both directions are averaged.
  bool one_sided = false;
  /// Values are rounded to single precision or worse, so that K_ij and K_ji agree no better. Always true for
  /// Similarity<float>.
  bool rounds_to_single = false;
  int evaluations_per_entry = 1;  ///< 2 if both directions are averaged
  /// Most entries of a tile of more than one row. For expensive entries: in tiles of RowPartition::unit rows, other
  /// ranks would wait for work, or a run could not stop in time. Depends on parameters and data only: the same on every
  /// rank and for any number of ranks.
  Index most_entries_in_tile = std::numeric_limits<Index>::max();
  /// If the similarity is a function of a distance that does not depend on its parameters: a name that determines this
  /// distance except for the data ("manhattan", "wmd"). Similarity::base_distance() then returns it. Else empty.
  std::string base{};
  friend bool operator==(const EntryTraits&, const EntryTraits&) = default;
};

}  // namespace cairn
