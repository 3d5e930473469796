// Which rows a model is trained on, and which it is tested on.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// What each own row is for, as split, train-rows or train-fraction say (task_parameters::rows); by default the splits
/// that the data have, train and test, and if they have none, all that are known are trained on. Rows that are not
/// known are for nothing.
/// @param known  1 for each own row that has a target @param splits  the split of each own row, or empty everywhere
/// @param seed  of train-fraction
/// @throws Error(input) for a row that is to be trained on and not known, as the readers of lists. Collective.
[[nodiscard]] std::vector<RowUse> row_uses(const Communicator& communicator, const Values& values,
                                           const RowPartition& partition, const std::vector<char>& known,
                                           const std::vector<std::string>& splits, std::uint64_t seed);

/// A sentence where the splits of the data say which rows are for what, and some are of other splits than train and
/// test; else nothing. Collective.
[[nodiscard]] std::vector<std::string> split_notices(const Communicator& communicator, const Values& values,
                                                     const std::vector<std::string>& splits);

}  // namespace cairn
