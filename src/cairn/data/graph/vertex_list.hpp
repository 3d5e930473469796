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
  bool named = false;              ///< vertices have names; the same on every rank
  std::vector<std::string> names;  ///< in their order, if they were listed or asked for; rank 0 alone

  [[nodiscard]] Index size() const { return vertices.empty() ? all : std::ssize(vertices); }
  [[nodiscard]] Index vertex(Index k) const { return vertices.empty() ? k : vertices[static_cast<std::size_t>(k)]; }
  [[nodiscard]] Index number(Index k) const {
    return numbers.empty() ? first + vertex(k) : numbers[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::vector<Index> all_numbers() const;
  /// On this rank. Local.
  [[nodiscard]] Index bytes() const;
};

/// The vertices that a text file names, one number a line ('#' starts a comment), or one name if vertices have names;
/// they may repeat. Plain, .gz or .xz.
/// @param numbers  that vertices have in the file of the graph, or names, this rank's if they are listed
/// @throws Error(input) with file:line for a field that is not an integer, what no vertex is called, or an empty list.
/// Collective.
[[nodiscard]] VertexList read_vertex_list(const Communicator& communicator, const std::string& path,
                                          const NumbersInFile& numbers, const RowPartition& partition);

/// All vertices, in their order. Memory: 8 bytes a vertex on each rank if their numbers are listed; all names on rank 0
/// if `with_names`. @throws Error(resource) if there is no room for these. Collective.
[[nodiscard]] VertexList all_vertices(const Communicator& communicator, const NumbersInFile& numbers,
                                      const RowPartition& partition, bool with_names);

/// What messages call the k-th vertex of a list: its name, or its number. @param numbers, partition  as the list was
/// made with @param k  the same on every rank. Collective.
[[nodiscard]] std::string text_of(const Communicator& communicator, const VertexList& list, Index k,
                                  const NumbersInFile& numbers, const RowPartition& partition);

}  // namespace cairn
