// Trees as objects, with their classes and texts if the data have them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/data/derived_values.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/trees/forest.hpp"
#include "cairn/data/trees/tree_labels.hpp"
#include "cairn/data/trees/tree_records.hpp"

namespace cairn {

namespace objects {
inline constexpr ObjectKind trees{"trees"};
}

/// Caches objects that similarities computed for a block, one per similarity, for the lifetime of the block.
/// Thread-safe.
class BlockMemory {
 public:
  /// Returns the object of `owner`. The first call creates it by make(); concurrent calls wait. `owner` is the number
  /// of a living owner (new_owner).
  template <class Made, class Make>
  [[nodiscard]] std::shared_ptr<const Made> get(std::uint64_t owner, const Make& make) const {
    const std::scoped_lock lock(mutex_);
    auto& found = made_[owner];
    if (found == nullptr) found = std::make_shared<const Made>(make());
    return std::static_pointer_cast<const Made>(found);
  }
  /// A unique number.
  [[nodiscard]] static std::uint64_t new_owner();

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, std::shared_ptr<const void>> made_;
};

/// Trees held entirely by one rank. Spans point into the set or into `owned`.
struct TreeBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  ForestView trees;
  std::shared_ptr<const TreeLabels> labels;  ///< the labels that the nodes' numbers refer to
  std::vector<std::string_view> texts;       ///< if the set keeps them, else empty
  MatrixView<const double> numbers{};        ///< size() x number of TreeOrigin::feature_names
  std::shared_ptr<const TreeRecords> owned;  ///< target of the spans if it is not the set
  BlockMemory memory;                        ///< for similarities
  DerivedValues of_trees;                    ///< derived from all `of_total` trees; this block holds the trees from
                                             ///< `of_first` on
  Index of_first = 0, of_total = 0;

  /// The labels used by the trees of both blocks, renumbered; null for other objects.
  /// @throws Error(internal) if the blocks use different labels
  [[nodiscard]] std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const override;
  /// Writes starts, labels and sizes (of nodes), texts and numbers if there are any, and the values derived from all
  /// trees.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
  /// The same trees with the label numbers of `others`, if those are trees.
  /// @throws Error(internal) for a label that `others` lack
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const override;
};

/// n trees, contiguous over ranks. Memory of a rank: 8 bytes per node and 8 per tree, the texts if they are kept, 8 per
/// number, and the labels of all trees.
class TreeSet final : public ObjectSet {
 public:
  /// @param records  this rank's trees (one forest), as distributed by `partition`, optionally with their texts (one
  ///   list) and numbers
  /// @param classes  one per tree of this rank, or empty on every rank
  /// @param splits   as `classes`: names of the splits
  /// @throws Error(internal) if the sizes do not match
  TreeSet(const RowPartition& partition, int rank, std::shared_ptr<const TreeLabels> labels, TreeRecords records,
          std::vector<std::string> classes, std::vector<std::string> splits = {});

  [[nodiscard]] const std::shared_ptr<const TreeLabels>& tree_labels() const { return tree_labels_; }
  [[nodiscard]] ForestView trees() const { return records_.forests[0].view(); }
  /// This rank's rows of numbers, with one column for each name of TreeOrigin::feature_names.
  [[nodiscard]] MatrixView<const double> numbers() const {
    return {records_.numbers.data(), records_.count, records_.width};
  }
  [[nodiscard]] bool keeps_texts() const { return !records_.texts.empty(); }
  [[nodiscard]] Index dimension() const override {
    return tree_labels_->vectors() != nullptr ? tree_labels_->vectors()->dimension() : 0;
  }
  [[nodiscard]] std::vector<std::string> texts() const override;
  [[nodiscard]] const TreeRecords& records() const { return records_; }
  void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  std::shared_ptr<const TreeLabels> tree_labels_;
  TreeRecords records_;
  DerivedValues derived_;
};

/// A block that owns its trees.
/// @param records  one forest, at most one list of texts, and optional numbers
/// @throws Error(internal) if the number of trees differs from that of `ids`. Local.
[[nodiscard]] std::unique_ptr<TreeBlock> make_tree_block(std::vector<Index> ids, TreeRecords records,
                                                         std::shared_ptr<const TreeLabels> labels,
                                                         SetIdentity set = {});

}  // namespace cairn
