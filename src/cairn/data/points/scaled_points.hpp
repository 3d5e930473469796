// Conversion of points as read to points as compared: scaling in double precision, then rounding to T.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// Requested scaling of points.
struct ScalingChoice {
  std::string kind = "none";       ///< kind for fit_scaling
  const Scaling* known = nullptr;  ///< scaling of a result, in place of `kind`
  std::uint64_t digest = 0;        ///< digest of the result's points, if these should be the same; 0: none
  bool subtract = false;           ///< with kind none: subtract the mean if it is far above the spread
  std::string source{};            ///< origin of the points, for messages
  KeyNames keys{};                 ///< name of scaling
};

/// Scaled points.
template <class T>
struct ScaledPoints {
  std::unique_ptr<PointSet<T>> points;
  Scaling scaling{};
  std::uint64_t digest = 0;             ///< digest of the points as read, in double precision
  std::vector<std::string> notes{};     ///< sentence that the points were shifted
  std::vector<std::string> warnings{};  ///< sentence on columns that keep few digits in single precision
};

/// "the points are held with all coordinates, which takes so many bytes: why". Local.
[[nodiscard]] std::string all_coordinates_note(const std::string& why, Index points, Index dimension,
                                               Index value_bytes);

/// Scales points that were read in double precision, then rounds them to T. Sparse points get all coordinates if the
/// scaling moves zeros; a note reports this. If the digest of the result's points equals that of the same points in the
/// other form (digest_of_other_form), or of the points rounded to T, it becomes their digest, too. If the mean is
/// subtracted (ScalingChoice::subtract, and a coordinate's mean is more than 16 times its spread), `scaling` is `none`
/// with a shift. For sparse points, only coordinates that nearly all points have are shifted, since no others can be so
/// far from 0. Memory: in single precision both sets for a moment, 12 bytes per coordinate (readers of text files
/// meanwhile hold 16).
/// @throws Error(input) that names the point if a coordinate is too large for single precision; as fit_scaling and
/// apply_scaling. Collective.
template <class T>
[[nodiscard]] ScaledPoints<T> scale_points(const Communicator& communicator, PointSet<double> points,
                                           const ScalingChoice& choice);

/// The columns whose mean is 10,000 times their spread or more, as a sentence for a warning; empty if there are none.
/// Single precision, which these points have or will have, leaves at most 3 digits of the variation in such columns.
/// @param advice  end of the sentence. Collective.
template <class T>
[[nodiscard]] std::string lost_digits(const Communicator& communicator, const PointSet<T>& points,
                                      const std::string& source, const std::string& advice);
/// The advice for points that may be scaled. @param keys  name of scaling. Local.
[[nodiscard]] std::string advice_on_digits(const KeyNames& keys);

}  // namespace cairn
