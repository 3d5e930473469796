// A number that tells whether two runs saw the same data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "cairn/data/documents/document_set.hpp"
#include "cairn/data/graph/graph.hpp"
#include "cairn/data/matrix/dense_matrix.hpp"
#include "cairn/data/object_set.hpp"

namespace cairn {

/// 64 bits of 64 others, each of which depends on all of them. Local.
[[nodiscard]] std::uint64_t mix_bits(std::uint64_t x);
/// 64 bits of some bytes; `start` sets one use apart from another. Local.
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t start);
[[nodiscard]] inline std::uint64_t hash_text(std::string_view text, std::uint64_t start) {
  return hash_bytes(std::as_bytes(std::span(text.data(), text.size())), start);
}

/// 64 bits of all objects and their order, the same on any number of ranks: a hash of each RowPartition unit with its
/// number, added up modulo 2^64. Points of other precision have another digest. Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const ObjectSet& objects);

/// The same of objects that other bytes stand for. @param pack  as ObjectSet::pack(). Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const ObjectSet& objects,
                                        const std::function<std::vector<std::byte>(Range)>& pack);

/// The same of documents: of their bags, the words and the vectors that the bags count, and texts where they are kept.
/// Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const DocumentSet& documents);

/// The same of a matrix of similarities: of its size and 1,000 of its entries, the same ones for every matrix of that
/// size. Collective. @throws Error(input) if one of them cannot be read or is not finite
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const DenseMatrix& matrix);

/// The same of a graph: of its arcs and their lengths. Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const Graph& graph);

}  // namespace cairn
