// Trees as objects, with their classes and texts where the data have them.
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

/// What similarities made of a block of objects, kept while it lives: one thing for each similarity. Thread-safe.
class BlockMemory {
 public:
  /// What `owner` put here, made by make() at the first call; other threads that ask for it wait. `owner` is the number
  /// of one that lives (new_owner).
  template <class Made, class Make>
  [[nodiscard]] std::shared_ptr<const Made> get(std::uint64_t owner, const Make& make) const {
    const std::scoped_lock lock(mutex_);
    auto& found = made_[owner];
    if (found == nullptr) found = std::make_shared<const Made>(make());
    return std::static_pointer_cast<const Made>(found);
  }
  /// A number that no other has got.
  [[nodiscard]] static std::uint64_t new_owner();

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, std::shared_ptr<const void>> made_;
};

/// Trees held whole by one rank. Spans point into the set or into what the block owns.
struct TreeBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  ForestView trees;
  std::shared_ptr<const TreeLabels> labels;  ///< what the nodes' labels are numbers in
  std::vector<std::string_view> texts;       ///< where the set keeps them, else empty
  MatrixView<const double> numbers{};        ///< size() x names of TreeOrigin::feature_names
  std::shared_ptr<const TreeRecords> owned;  ///< what the spans point into, if it is not the set's
  BlockMemory memory;                        ///< of similarities
  DerivedValues of_trees;                    ///< of `of_total` trees, of which these are those from `of_first` on
  Index of_first = 0, of_total = 0;

  /// The labels that the trees of both blocks use, numbered anew; null for other objects.
  /// @throws Error(internal) if they number different labels
  [[nodiscard]] std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const override;
  /// starts, labels and sizes (of nodes), texts and numbers if there are any, and what was derived of all trees.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
  /// The same trees with the labels numbered as those of `others` are, if they are trees.
  /// @throws Error(internal) for a label that those lack
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const override;
};

/// n trees, contiguous over ranks. Memory of a rank: 8 bytes a node and 8 a tree, its text where texts are kept, 8 a
/// number, and the labels of all trees.
class TreeSet final : public ObjectSet {
 public:
  /// @param records  this rank's trees (one forest), as `partition` deals them, and perhaps their texts (one list) and
  ///   numbers
  /// @param classes  one a tree of this rank, or empty on every rank
  /// @param splits   likewise: the names of the splits
  /// @throws Error(internal) if the sizes do not fit
  TreeSet(const RowPartition& partition, int rank, std::shared_ptr<const TreeLabels> labels, TreeRecords records,
          std::vector<std::string> classes, std::vector<std::string> splits = {});

  [[nodiscard]] const std::shared_ptr<const TreeLabels>& tree_labels() const { return tree_labels_; }
  [[nodiscard]] ForestView trees() const { return records_.forests[0].view(); }
  /// This rank's rows of numbers, one for each name of TreeOrigin::feature_names.
  [[nodiscard]] MatrixView<const double> numbers() const {
    return {records_.numbers.data(), records_.count, records_.width};
  }
  [[nodiscard]] bool keeps_texts() const { return !records_.texts.empty(); }
  [[nodiscard]] Index dimension() const override {
    return tree_labels_->vectors() != nullptr ? tree_labels_->vectors()->dimension() : 0;
  }
  [[nodiscard]] const std::vector<std::string>& labels() const override { return classes_; }
  [[nodiscard]] const std::vector<std::string>& splits() const override { return splits_; }
  [[nodiscard]] std::vector<std::string> texts() const override;
  [[nodiscard]] const TreeRecords& records() const { return records_; }
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  std::shared_ptr<const TreeLabels> tree_labels_;
  TreeRecords records_;
  std::vector<std::string> classes_;
  std::vector<std::string> splits_;
  DerivedValues derived_;
};

/// A block that owns its trees. @param records  one forest, one list of texts or none, and numbers or none
/// @throws Error(internal) if there are not as many as `ids`. Local.
[[nodiscard]] std::unique_ptr<TreeBlock> make_tree_block(std::vector<Index> ids, TreeRecords records,
                                                         std::shared_ptr<const TreeLabels> labels,
                                                         SetIdentity set = {});

}  // namespace cairn
