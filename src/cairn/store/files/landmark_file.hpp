// Landmarks listed in a file or in a text.
#pragma once

#include <string>

#include "cairn/landmark/landmark_selection.hpp"

namespace cairn {

/// Reads row numbers from 0, one per line ('#' starts a comment), or the data set /landmarks/indices of a Cairn result.
/// @param count  0: all landmarks of the file; otherwise the first `count`, an error if the file has fewer
/// @param keys  names of the keys, for `count` @param takes_objects  false: only the numbers are needed
/// @throws Error(input) with file:line for a duplicate or out-of-range index, or a line that is not a number;
/// Error(usage) if count < 0. Collective.
template <class T>
[[nodiscard]] Landmarks<T> read_landmarks(const Execution& execution, const ObjectSet& objects, const std::string& path,
                                          Index count, const KeyNames& keys = {}, bool takes_objects = true);

/// The landmarks of a list of row numbers from 0, separated by commas. @param count  as in read_landmarks
/// @throws Error(usage) for a text that is no such list, Error(input) for a duplicate or out-of-range number, and for
/// fewer than `count`; all name the key. Collective.
template <class T>
[[nodiscard]] Landmarks<T> listed_landmarks(const Execution& execution, const ObjectSet& objects,
                                            const std::string& list, Index count, const KeyNames& keys = {},
                                            bool takes_objects = true);

/// The selection that takes such a list.
[[nodiscard]] const LandmarkSelection& by_list_selection();

/// The selection that reads such a file. From a result of other data with as many objects it takes the row numbers and
/// logs a warning. @throws Error(input) also for a result with another number of objects, or an extension.
[[nodiscard]] const LandmarkSelection& file_selection();

}  // namespace cairn
