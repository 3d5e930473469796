// Which objects a row or a column of K~ calls nearest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// An object, and its value in a row of K~.
struct Neighbour {
  Index object = 0;
  double value = 0;
};

/// The `k` objects that a row calls nearest: with the largest values, or the least if these are distances; of equal
/// ones those with the lowest numbers first. @param own, values  this rank's objects, and their values @param skipped
/// an object that does not count; -1: none. The same on every rank. Memory: a window of a row. Collective.
[[nodiscard]] std::vector<Neighbour> nearest_objects(const Communicator& communicator, Range own,
                                                     std::span<const double> values, Index skipped, std::size_t k,
                                                     Meaning meaning);

/// The same of every column of `columns`, objects x columns: a list for each, the same on every rank. Memory: k
/// neighbours of each column and rank. Collective.
[[nodiscard]] std::vector<std::vector<Neighbour>> nearest_of_columns(const Communicator& communicator,
                                                                     const RowBlock<double>& columns, std::size_t k,
                                                                     Meaning meaning);

}  // namespace cairn
