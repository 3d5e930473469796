// From a similarity to an approximation.
#pragma once

#include <string>

#include "cairn/approximation/methods.hpp"
#include "cairn/run/result.hpp"

namespace cairn {

class Session;

/// K ~ g(L J Rᵀ) by a method by its name on the command line.
/// @param given  parameters of the method, by the names that its descriptor lists (`cairn help method NAME` describes
///   them), and which objects are landmarks: landmarks.count or landmarks.fraction, landmarks.selection (uniform,
///   farthest, rpcholesky, file), landmarks.path
/// @throws Error(usage) for an unknown name, a bad parameter or one that has no effect (it is named), a similarity that
///   does not have what the method takes; Error(input) for a file that is not of these data; as approximate() of the
///   method and the selection of landmarks. Collective.
template <class T>
[[nodiscard]] Result<T> approximate(const Session& session, const SimilarityMatrix<T>& matrix,
                                    const std::string& method, const GivenValues& given = {});

}  // namespace cairn
