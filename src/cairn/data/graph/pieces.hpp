// Connected pieces of graphs and meshes, in messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// A connected piece of the data: its first vertex, as named in the file (counted from 0 for a mesh), and its size.
struct Piece {
  std::string vertex{};
  Index size = 0;
};

/// The numbers in the file of some vertices; the list is the same on every rank. @param original_ids  numbers of own
/// vertices, or empty on every rank: then vertex v has number first_id + v. Collective.
[[nodiscard]] std::vector<Index> vertices_in_file(const Communicator& communicator, Range own, bool renumbered,
                                                  Index first_id, const std::vector<Index>& original_ids,
                                                  std::vector<Index> vertices);

/// Number of pieces that a message names.
inline constexpr std::size_t most_named_pieces = 3;

/// Rejects data in several pieces: path lengths and geodesics do not exist between them, and the user has to choose
/// one.
/// @param pieces  at least the largest of the `count` pieces @param single  number of pieces with one vertex
/// @param numbering  phrase on the file's numbers
/// @param key  parameter that keeps the largest piece: "data.largest-component"
/// @param cause  a sentence on the possible cause, or empty @param strong  pieces are strong components @throws
/// Error(input) always. Local.
[[noreturn]] void refuse_pieces(const std::string& kind, Index count, Index single, std::vector<Piece> pieces,
                                const std::string& numbering, const std::string& key, const std::string& cause = "",
                                bool strong = false);

}  // namespace cairn
