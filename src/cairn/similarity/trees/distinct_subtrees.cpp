#include "cairn/similarity/trees/distinct_subtrees.hpp"

#include <algorithm>
#include <limits>

#include "cairn/base/error.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

void HashTable::insert(std::uint64_t hash, std::int32_t number) {
  constexpr std::uint64_t smallest = 16;
  if (2 * (filled_ + 1) > places_.size()) {
    std::vector<Place> old(std::max<std::uint64_t>(smallest, 2 * places_.size()));
    old.swap(places_);
    mask_ = places_.size() - 1;
    for (const Place& place : old) {
      if (place.number != none) put(place.hash, place.number);
    }
  }
  put(hash, number);
  ++filled_;
}

void HashTable::put(std::uint64_t hash, std::int32_t number) {
  std::uint64_t at = hash & mask_;
  while (places_[at].number != none) at = (at + 1) & mask_;
  places_[at] = {hash, number};
}

std::uint64_t hash_list(std::int32_t first, std::span<const std::int32_t> list) {
  // `first` must affect all bits before a member of the list is mixed in: 7 and [6] differ from 6 and [7].
  std::uint64_t state = mix_bits(static_cast<std::uint32_t>(first) + (static_cast<std::uint64_t>(list.size()) << 32U));
  for (const std::int32_t one : list) {
    state = (state ^ static_cast<std::uint32_t>(one)) * 0x9e3779b97f4a7c15ULL;
    state ^= state >> 32U;
  }
  return mix_bits(state);
}

std::int32_t DistinctSubtrees::find(std::int32_t label, std::span<const std::int32_t> children) const {
  return table_.find(hash_list(label, children), [&](std::int32_t node) {
    return this->label(node) == label && std::ranges::equal(this->children(node), children);
  });
}

std::int32_t DistinctSubtrees::find_or_add(std::int32_t label, std::span<const std::int32_t> children) {
  const std::uint64_t hash = hash_list(label, children);
  const std::int32_t found = table_.find(hash, [&](std::int32_t node) {
    return this->label(node) == label && std::ranges::equal(this->children(node), children);
  });
  if (found != HashTable::none) return found;
  if (size() == std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::resource, "the landmarks have more than 2^31 different subtrees");
  }
  const std::int32_t added = size();
  labels_.push_back(label);
  children_.insert(children_.end(), children.begin(), children.end());
  starts_.push_back(std::ssize(children_));
  table_.insert(hash, added);
  return added;
}

std::int32_t DistinctSubtrees::add(TreeView tree) {
  return BottomUp<std::int32_t>().over(tree, [&](const TreeNode& node, std::span<const std::int32_t> children) {
    return find_or_add(node.label, children);
  });
}

}  // namespace cairn
