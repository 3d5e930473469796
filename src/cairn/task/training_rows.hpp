// Choice of the rows on which a model is trained and tested.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/row_list.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Use of each own row as given by split, train-rows or train-fraction (task_parameters::rows). By default the splits
/// train and test of the data are used; without splits all rows with a target are trained on. Rows without a target are
/// not used.
/// @param known  1 for each own row that has a target @param splits  split of each own row, or empty on all ranks
/// @param seed  for train-fraction
/// @throws Error(input) for a training row without target, and as the readers of lists. Collective.
[[nodiscard]] std::vector<RowUse> row_uses(const Communicator& communicator, const Values& values,
                                           const RowPartition& partition, const std::vector<char>& known,
                                           const std::vector<std::string>& splits, std::uint64_t seed);

/// True for a tenth of the rows, drawn by (seed, Stream::held_out_rows): of the training rows they are those that
/// choose among parameters. Local.
[[nodiscard]] bool is_held_out(std::uint64_t seed, Index row);

/// A sentence if the splits of the data determine the use of rows and some rows have a split other than train and test;
/// else nothing. Collective.
[[nodiscard]] std::vector<std::string> split_notices(const Communicator& communicator, const Values& values,
                                                     const std::vector<std::string>& splits);

}  // namespace cairn
