// What is known of a similarity once it is made, whatever objects it is asked for.
#pragma once

#include <limits>
#include <string>

#include "cairn/base/index.hpp"

namespace cairn {

/// Which end of the scale is near: it decides what "nearest" is.
enum class Meaning { similarity, distance };

/// Constants of a similarity of two objects. A similarity that is made of another one starts from a copy of its traits
/// and changes what it has to: what it says nothing about stays as it is.
struct EntryTraits {
  std::string name;  ///< as that of its descriptor
  Meaning meaning = Meaning::similarity;
  bool defined_for_unseen = true;  ///< false: between the objects of the data set only (a precomputed matrix, noise)
  /// (i, j) and (j, i) may differ by more than rounding and their mean is meant: column j holds the values from j, and
  /// blocks of which both directions are known are averaged.
  bool one_sided = false;
  /// Values are rounded to single precision, or worse: (i, j) and (j, i) then agree no better. Always so of a
  /// Similarity<float>.
  bool rounds_to_single = false;
  int evaluations_per_entry = 1;  ///< 2 if both directions are averaged
  /// Entries that a tile of more than one row holds at most, if one is so expensive that a tile of RowPartition::unit
  /// rows would keep other ranks waiting for a share of the work, or a run that is to stop. Follows from the parameters
  /// and the data: it is the same on every rank, for any number of ranks.
  Index most_entries_in_tile = std::numeric_limits<Index>::max();
  /// If it is a function of a distance that does not depend on its parameters: a name that says all about this distance
  /// but the data ("manhattan", "wmd"). Similarity::base_distance() then gives it. Else empty.
  std::string base{};
  friend bool operator==(const EntryTraits&, const EntryTraits&) = default;
};

}  // namespace cairn
