// Connected pieces of graphs and meshes, in messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// A connected piece of the data: its first vertex, as the file calls it (those of a mesh from 0), and its size.
struct Piece {
  std::string vertex{};
  Index size = 0;
};

/// The numbers in the file of some vertices, the same list on every rank. @param original_ids  of own vertices, or
/// empty everywhere: then vertex v is first_id + v. Collective.
[[nodiscard]] std::vector<Index> vertices_in_file(const Communicator& communicator, Range own, bool renumbered,
                                                  Index first_id, const std::vector<Index>& original_ids,
                                                  std::vector<Index> vertices);

/// How many pieces a message names.
inline constexpr std::size_t most_named_pieces = 3;

/// Path lengths and geodesics do not exist between pieces: the user decides which one is meant.
/// @param pieces  the largest at least, of `count` @param single  how many are one vertex
/// @param numbering  how the file's numbers are to be read
/// @param key  what keeps the largest: "data.largest-component"
/// @param cause  a sentence of what may have cut it, or nothing @throws Error(input) always. Local.
[[noreturn]] void refuse_pieces(const std::string& kind, Index count, Index single, std::vector<Piece> pieces,
                                const std::string& numbering, const std::string& key, const std::string& cause = "");

}  // namespace cairn
