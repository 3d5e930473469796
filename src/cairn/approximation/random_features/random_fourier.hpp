// The method rff.
#pragma once

#include <memory>

#include "cairn/approximation/method.hpp"
#include "cairn/approximation/random_features/fourier_features.hpp"
#include "cairn/similarity/points/point_function.hpp"

namespace cairn {

/// Draws of frequencies.
enum class FourierDraw {
  pairs,       ///< each for a cosine and a sine
  orthogonal,  ///< the same; in groups of as many as there are coordinates the directions are orthogonal
  phase        ///< each for a cosine with a random phase
};

/// `columns` features of points of `dimension` coordinates, even unless draw is phase: phi(x)·phi(y) ~ k(x, y).
/// Frequency j is addressed by (seed, Stream::landmarks, j).
///   [Rahimi and Recht 2008; Yu et al. 2016 (orthogonal)]
/// @pre spectrum.isotropic for orthogonal. Local.
[[nodiscard]] std::shared_ptr<const FourierFeatures> draw_fourier_features(const Spectrum& spectrum, Index dimension,
                                                                           Index columns, FourierDraw draw,
                                                                           std::uint64_t seed);

/// Random Fourier features: K ~ L Lᵀ.
[[nodiscard]] const MethodDescriptor& random_fourier_method();

}  // namespace cairn
