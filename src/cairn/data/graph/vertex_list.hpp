// Files of vertices, by the numbers that they have in the file of the graph.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/matrix/numbers_in_file.hpp"

namespace cairn {

/// Vertices in the order of a list, the same on every rank.
struct VertexList {
  std::vector<Index> vertices;  ///< rows, from 0; none are listed if these are all
  std::vector<Index> numbers;   ///< in the file of the graph; none are listed if they are `first` + row
  Index all = 0;                ///< vertices, where none are listed
  Index first = 0;
  bool named = false;              ///< the same on every rank
  std::vector<std::string> names;  ///< in their order, if vertices have them; rank 0 alone

  [[nodiscard]] Index size() const { return vertices.empty() ? all : std::ssize(vertices); }
  [[nodiscard]] Index vertex(Index k) const { return vertices.empty() ? k : vertices[static_cast<std::size_t>(k)]; }
  [[nodiscard]] Index number(Index k) const {
    return numbers.empty() ? first + vertex(k) : numbers[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::vector<Index> all_numbers() const;
  /// What messages call the k-th: its name on rank 0, or its number. Local.
  [[nodiscard]] std::string text(Index k) const;
  [[nodiscard]] Index bytes() const { return static_cast<Index>(sizeof(Index) * (vertices.size() + numbers.size())); }
};

/// The vertices that a text file names, one number a line ('#' starts a comment), or one name if vertices have names;
/// they may repeat. Plain, .gz or .xz.
/// @param numbers  that vertices have in the file of the graph, or names, this rank's if they are listed
/// @throws Error(input) with file:line for a field that is not an integer, what no vertex is called, or an empty list.
/// Collective.
[[nodiscard]] VertexList read_vertex_list(const Communicator& communicator, const std::string& path,
                                          const NumbersInFile& numbers, const RowPartition& partition);

/// All vertices, in their order. Memory: 8 bytes a vertex on each rank if their numbers are listed; all names on rank
/// 0. Collective.
[[nodiscard]] VertexList all_vertices(const Communicator& communicator, const NumbersInFile& numbers,
                                      const RowPartition& partition);

}  // namespace cairn
