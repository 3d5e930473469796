// A hash of the data that shows whether two runs read the same data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "cairn/data/object_set.hpp"

namespace cairn {

/// Mixes 64 bits: each bit of the result depends on all bits of `x`. Local.
[[nodiscard]] std::uint64_t mix_bits(std::uint64_t x);
/// 64-bit hash of bytes; `start` separates different uses. Local.
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t start);
[[nodiscard]] inline std::uint64_t hash_text(std::string_view text, std::uint64_t start) {
  return hash_bytes(std::as_bytes(std::span(text.data(), text.size())), start);
}

/// 64-bit hash of all objects and their order, the same on any number of ranks: the sum modulo 2^64 of hashes of each
/// RowPartition unit and its number. The digest depends on the precision of points. Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const ObjectSet& objects);

/// The same for objects that are represented by other bytes. @param pack  as ObjectSet::pack(). Collective.
[[nodiscard]] std::uint64_t data_digest(const Communicator& communicator, const ObjectSet& objects,
                                        const std::function<std::vector<std::byte>(Range)>& pack);

}  // namespace cairn
