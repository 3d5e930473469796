// What linearize reads beside the network. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/data/data_kinds.hpp"

namespace cairn {

/// Names of the outputs in their order: those that the values list, else the labels, ascending, if there are as many,
/// else numbers from 0. @param labels  of this rank @throws Error(usage) for another number of names. Collective.
[[nodiscard]] std::vector<std::string> output_names(const Communicator& communicator, const Values& values,
                                                    std::span<const std::string> labels, Index outputs);

/// The points of test.path, in the same columns as `train` and scaled likewise. @param points  the values that `train`
/// was read with @throws as read_data. Collective.
template <class T>
[[nodiscard]] Data<T> read_test_points(const Execution& execution, const Values& points, const Values& values,
                                       const Data<T>& train);

}  // namespace cairn
