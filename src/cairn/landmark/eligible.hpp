// Which objects may become landmarks and belong to other samples: all, or those of a split.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/object_set.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// The parameter `split` of selections that can choose among the objects of one split.
[[nodiscard]] Parameter landmark_split();

/// Objects that may become landmarks. Memory: nothing beside the set.
class EligibleObjects {
 public:
  /// All of `objects`, which outlive it. Collective.
  EligibleObjects(const Communicator& communicator, const ObjectSet& objects);
  /// Those whose split `values` name, if they name one. @throws Error(input) if the objects have no splits, or none of
  /// them is of that one. Collective.
  EligibleObjects(const Communicator& communicator, const ObjectSet& objects, const Values& values);
  /// Those of a split; empty: all. @param where  what messages call it @throws Error(input) likewise. Collective.
  EligibleObjects(const Communicator& communicator, const ObjectSet& objects, const std::string& split,
                  const std::string& where);

  /// How many there are. Local.
  [[nodiscard]] Index count() const { return count_; }
  /// Whether an object of this rank is one of them. Local.
  [[nodiscard]] bool contains(Index row) const;
  /// Their numbers by places in the ascending order of all that are eligible. @param places  the same on every rank
  /// Collective.
  [[nodiscard]] std::vector<Index> numbers(std::vector<Index> places) const;
  /// Those of `rows` that are eligible, in their order. @param rows  the same on every rank. Collective.
  [[nodiscard]] std::vector<Index> among(const std::vector<Index>& rows) const;
  /// What messages call so many: "the number of objects", and of which split. Local.
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
