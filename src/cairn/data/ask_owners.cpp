#include "cairn/data/ask_owners.hpp"

#include <algorithm>
#include <array>

#include "cairn/data/digest.hpp"

namespace cairn {

bool same_on_all_ranks(const Communicator& communicator, std::span<const Index> ids) {
  constexpr std::uint64_t of_lists = 21;
  const std::uint64_t digest = hash_bytes(std::as_bytes(ids), of_lists);
  std::array<std::uint64_t, 2> extremes{digest, ~digest};  // the minimum, and the complement of the maximum
  communicator.minimum(std::span<std::uint64_t>(extremes));
  return extremes[0] == ~extremes[1];
}

}  // namespace cairn
