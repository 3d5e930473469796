// The numbers that objects have in the file which they were read from.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Object i is number `first` + i in the file (1 for the vertices of many graphs), or, if some were left out or the
/// file numbers them otherwise, as `own` lists them for this rank's objects, ascending over all ranks.
struct NumbersInFile {
  Index first = 0;
  bool listed = false;  ///< the same on every rank
  std::vector<Index> own{};
  bool listed_rows = false;          ///< those listed are 0, 1, 2, ...: what was left out came last
  std::vector<std::string> names{};  ///< of this rank's objects, if the file has names in place of numbers

  /// Whether any object has another number than its row. The same on every rank.
  [[nodiscard]] bool differ_from_rows() const { return listed ? !listed_rows : first != 0; }
  /// Those of this rank's objects; none if they are the rows. Local.
  [[nodiscard]] std::vector<Index> of(Range rows) const;
};

/// Numbers that are listed for this rank's objects, `rows`. @param own  one an object, or empty everywhere: then they
/// are the rows. Collective.
[[nodiscard]] NumbersInFile listed_numbers(const Communicator& communicator, Range rows, std::vector<Index> own);

}  // namespace cairn
