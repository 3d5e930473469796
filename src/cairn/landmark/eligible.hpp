// Objects that may become landmarks and enter other samples: all, or those of one split.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/object_set.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// The parameter `split` of selections that can choose among the objects of one split.
[[nodiscard]] Parameter landmark_split();

/// Objects that may become landmarks. Memory: none beside the set.
class EligibleObjects {
 public:
  /// All of `objects`, which must outlive this. Collective.
  EligibleObjects(const Communicator& communicator, const ObjectSet& objects);
  /// The objects of the split that `values` name, if any. @throws Error(input) if the objects have no splits, or none
  /// of them is in that split. Collective.
  EligibleObjects(const Communicator& communicator, const ObjectSet& objects, const Values& values);
  /// The objects of a split; empty: all. @param where  its name in messages @throws Error(input) likewise. Collective.
  EligibleObjects(const Communicator& communicator, const ObjectSet& objects, const std::string& split,
                  const std::string& where);

  /// Number of eligible objects, on all ranks. Local.
  [[nodiscard]] Index count() const { return count_; }
  /// True if this object of this rank is eligible. Local.
  [[nodiscard]] bool contains(Index row) const;
  /// Numbers of eligible objects by their positions in the ascending order of all eligible objects. @param places  the
  /// same on every rank. Collective.
  [[nodiscard]] std::vector<Index> numbers(std::vector<Index> places) const;
  /// The eligible ones of `rows`, in their order. @param rows  the same on every rank. Collective.
  [[nodiscard]] std::vector<Index> among(const std::vector<Index>& rows) const;
  /// Name of this count in messages: "the number of objects", with the split if any. Local.
  [[nodiscard]] std::string count_text() const;
  /// @throws Error(usage) that names the count, and the split, unless 1 <= count <= count(). Local.
  void require(Index landmarks, const KeyNames& keys) const;

 private:
  const Communicator& communicator_;
  const ObjectSet& objects_;
  std::string split_;  // empty: all
  Index before_ = 0;   // eligible objects of lower ranks
  Index count_ = 0;
};

}  // namespace cairn
