// Points as they were read become those that are compared: scaled in double precision, and rounded to T last.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// How points are to be scaled.
struct ScalingChoice {
  std::string kind = "none";       ///< as fit_scaling takes it
  const Scaling* known = nullptr;  ///< that of a result, in place of `kind`
  std::uint64_t digest = 0;        ///< of the result's points, if these are to be the same; 0: of none
  bool subtract = false;           ///< of the kind none: the mean is subtracted if it is far above the spread
  std::string source{};            ///< where the points are from, for messages
  KeyNames keys{};                 ///< of scaling
};

/// What became of them.
template <class T>
struct ScaledPoints {
  std::unique_ptr<PointSet<T>> points;
  Scaling scaling{};
  std::uint64_t digest = 0;             ///< of the points as read, in double precision
  std::vector<std::string> notes{};     ///< that they are moved, in a sentence
  std::vector<std::string> warnings{};  ///< which columns single precision leaves few digits of, in a sentence
};

/// "the points are held with all coordinates, which takes so many bytes: why". Local.
[[nodiscard]] std::string all_coordinates_note(const std::string& why, Index points, Index dimension,
                                               Index value_bytes);

/// Scales points that were read in double precision, and rounds them to T last. Sparse points get all coordinates if
/// the scaling moves those that are 0, which a note says. If the digest of the result's points is that of the same
/// points in the other form (digest_of_other_form), or of those rounded to T, theirs is that, too. If their mean is
/// subtracted (ScalingChoice::subtract, and a coordinate's mean is more than 16 times its spread), `scaling` is `none`
/// with a shift; of sparse points, only coordinates that nearly all points have are moved, since no others can be so
/// far away. Memory: in single precision both sets for a moment, 12 bytes a coordinate
/// (readers of text files hold 16 meanwhile).
/// @throws Error(input) that names the point if a coordinate is too large for single precision; as fit_scaling and
///   apply_scaling. Collective.
template <class T>
[[nodiscard]] ScaledPoints<T> scale_points(const Communicator& communicator, PointSet<double> points,
                                           const ScalingChoice& choice);

/// The columns whose mean is 10,000 times their spread or more, in a sentence for a warning; empty if there are none.
/// Single precision, which these points are to be in or are in, leaves at most 3 digits of what such columns vary by.
/// @param advice  what ends the sentence. Collective.
template <class T>
[[nodiscard]] std::string lost_digits(const Communicator& communicator, const PointSet<T>& points,
                                      const std::string& source, const std::string& advice);
/// The advice of points that may be scaled. @param keys  of scaling. Local.
[[nodiscard]] std::string advice_on_digits(const KeyNames& keys);

}  // namespace cairn
