#include "cairn/data/graph/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

std::vector<Index> vertices_in_file(const Communicator& communicator, Range own, bool renumbered, Index first_id,
                                    const std::vector<Index>& original_ids, std::vector<Index> vertices) {
  for (Index& vertex : vertices) {
    if (!renumbered) {
      vertex += first_id;
    } else {
      vertex = own.contains(vertex) ? original_ids[vertex - own.begin] : 0;
    }
  }
  if (renumbered) communicator.sum(std::span(vertices));
  return vertices;
}

void refuse_pieces(const std::string& kind, Index count, Index single, std::vector<Piece> pieces,
                   const std::string& numbering, const std::string& key, const std::string& cause, bool strong) {
  std::ranges::stable_sort(pieces, std::ranges::greater(), &Piece::size);
  pieces.resize(std::min(pieces.size(), most_named_pieces));
  std::vector<std::string> sizes, vertices;
  for (const Piece& piece : pieces) {
    sizes.push_back(grouped(piece.size));
    vertices.push_back(piece.vertex);
  }
  throw Error(
      ErrorKind::input,
      fmt::format(
          "the {} is in {} pieces, the largest of {} vertices (those of the vertices {} {}){}; no path "
          "leads from one to another{}. {}{} = true {} only the largest",
          kind, grouped(count), joined(sizes, ", "), joined(vertices, ", "), numbering,
          single > 0 ? fmt::format(", {} of one vertex{}", grouped(single), strong ? "" : " without an edge") : "",
          strong ? " and back" : "", cause.empty() ? "Set " : cause + ". ", key, cause.empty() ? "to keep" : "keeps"));
}

}  // namespace cairn
