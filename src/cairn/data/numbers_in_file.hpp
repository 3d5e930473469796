// The numbers of objects in the file from which they were read.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Object i has number `first` + i in the file (1 + i for the vertices of many graphs). If some objects were left out
/// or the file numbers them differently, `own` lists the numbers of this rank's objects, ascending over all ranks.
struct NumbersInFile {
  Index first = 0;
  bool listed = false;  ///< the same on every rank
  std::vector<Index> own{};
  bool listed_rows = false;          ///< the listed numbers are 0, 1, 2, ...: what was left out came last
  std::vector<std::string> names{};  ///< names of this rank's objects, if the file has names in place of numbers

  /// True if the number of any object differs from its row. The same on every rank.
  [[nodiscard]] bool differ_from_rows() const { return listed ? !listed_rows : first != 0; }
  /// The numbers of this rank's objects; none if they are the rows. Local.
  [[nodiscard]] std::vector<Index> of(Range rows) const;
};

/// Listed numbers of this rank's objects, `rows`. @param own  one per object, or empty on every rank: then the numbers
/// are the rows. Collective.
[[nodiscard]] NumbersInFile listed_numbers(const Communicator& communicator, Range rows, std::vector<Index> own);

}  // namespace cairn
