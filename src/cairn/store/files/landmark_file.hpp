// Landmarks that a file lists.
#pragma once

#include <string>

#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

/// Row numbers from 0, one per line ('#' starts a comment), or the data set /landmarks/indices of a Cairn result.
/// @param count  0: all that the file has; else the first `count`, an error if it has fewer
/// @param keys  of count @param takes_objects  false: only their numbers are wanted
/// @throws Error(input) with file:line for a duplicate or out-of-range index, or what is not a number; Error(usage) if
///   count < 0. Collective.
template <class T>
[[nodiscard]] Landmarks<T> read_landmarks(const Execution& execution, const ObjectSet& objects, const std::string& path,
                                          Index count, const KeyNames& keys = {}, bool takes_objects = true);

/// The selection that reads them. Of a result of other data with as many objects it takes the row numbers, and logs a
/// warning. @throws Error(input) also for a result of another number of objects, or an extension.
[[nodiscard]] const LandmarkSelection& file_selection();

}  // namespace cairn
