// Lines of a table of neighbors.
#pragma once

#include <string>
#include <vector>

#include "cairn/similarity/neighbor.hpp"
#include "cairn/store/files/row_names.hpp"

namespace cairn {

/// Lines "object, nearest, value, label of the object, label and number of the nearest one, name of the object, name of
/// the nearest one". Labels, numbers and names are those that the objects have. Refers to both names.
class NeighborLines {
 public:
  /// @param separator  between the fields of a line: a comma, or a blank for people
  NeighborLines(const RowNames& objects, const RowNames& nearest, char separator)
      : objects_(objects), nearest_(nearest), separator_(separator) {}

  [[nodiscard]] std::string heading() const;
  /// @param objects, nearest  numbers, and neighbors of each; the same on every rank. Collective.
  [[nodiscard]] std::string lines(const std::vector<Index>& objects,
                                  const std::vector<std::vector<Neighbor>>& nearest) const;

 private:
  // @param blanks  number of blanks before a name that may itself contain blanks, for people
  void add(std::string& line, const std::string& name, std::size_t blanks = 1) const;

  const RowNames &objects_, &nearest_;
  char separator_;
};

}  // namespace cairn
