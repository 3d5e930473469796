// Files that list vertices by their numbers in the file of the graph.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"
#include "cairn/data/numbers_in_file.hpp"

namespace cairn {

/// Vertices in the order of a list, the same on every rank.
struct VertexList {
  std::vector<Index> vertices;  ///< rows, from 0; empty: all vertices
  std::vector<Index> numbers;   ///< numbers in the file of the graph; empty: `first` + row
  Index all = 0;                ///< number of vertices, if none are listed
  Index first = 0;
  bool named = false;              ///< vertices have names; the same on every rank
  std::vector<std::string> names;  ///< names in order, if listed or requested; on rank 0 only

  [[nodiscard]] Index size() const { return vertices.empty() ? all : std::ssize(vertices); }
  [[nodiscard]] Index vertex(Index k) const { return vertices.empty() ? k : vertices[k]; }
  [[nodiscard]] Index number(Index k) const { return numbers.empty() ? first + vertex(k) : numbers[k]; }
  [[nodiscard]] std::vector<Index> all_numbers() const;
  /// Bytes on this rank. Local.
  [[nodiscard]] Index bytes() const;
};

/// Reads the vertices that a text file lists, one number per line ('#' starts a comment), or one name if vertices have
/// names. Vertices may repeat. Plain, .gz or .xz.
/// @param numbers  numbers or names of vertices in the file of the graph; if listed, those of this rank
/// @throws Error(input) with file:line for a field that is not an integer, a number or name of no vertex, or an empty
/// list. Collective.
[[nodiscard]] VertexList read_vertex_list(const Communicator& communicator, const std::string& path,
                                          const NumbersInFile& numbers, const RowPartition& partition);

/// A list of vertices that were found otherwise. @param vertices  rows, the same on every rank. Collective.
[[nodiscard]] VertexList list_of(const Communicator& communicator, std::vector<Index> vertices,
                                 const NumbersInFile& numbers, const RowPartition& partition);

/// True if vertices have names in place of numbers. Collective.
[[nodiscard]] bool have_names(const Communicator& communicator, const NumbersInFile& numbers);

/// All vertices, in order. Memory: 8 bytes per vertex on each rank if their numbers are listed; all names on rank 0 if
/// `with_names`. @throws Error(resource) if there is no memory for these. Collective.
[[nodiscard]] VertexList all_vertices(const Communicator& communicator, const NumbersInFile& numbers,
                                      const RowPartition& partition, bool with_names);

/// The k-th vertex of a list in messages: its name, or its number. @param numbers, partition  those with which the list
/// was made @param k  the same on every rank. Collective.
[[nodiscard]] std::string text_of(const Communicator& communicator, const VertexList& list, Index k,
                                  const NumbersInFile& numbers, const RowPartition& partition);

}  // namespace cairn
