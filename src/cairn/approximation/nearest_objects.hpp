// The nearest objects according to a row or a column of K~.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/neighbor.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// The `k` nearest objects according to a row: with the largest values, or the smallest if these are distances; among
/// equal ones those with the lowest numbers first. @param own, values  this rank's objects, and their values @param
/// skipped  an object that does not count; -1: none. The same on every rank. Memory: a window of a row. Collective.
[[nodiscard]] std::vector<Neighbor> nearest_objects(const Communicator& communicator, Range own,
                                                    std::span<const double> values, Index skipped, std::size_t k,
                                                    Meaning meaning);

/// The same for every column of `columns`, objects x columns: one list each, the same on every rank. Memory: k
/// neighbors for each column and rank. Collective.
[[nodiscard]] std::vector<std::vector<Neighbor>> nearest_of_columns(const Communicator& communicator,
                                                                    const RowBlock<double>& columns, std::size_t k,
                                                                    Meaning meaning);

}  // namespace cairn
