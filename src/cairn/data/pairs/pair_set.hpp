// Pairs of texts: trees of both sides, and features of the pair.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/trees/tree_set.hpp"

namespace cairn {

/// Properties that all pairs of a set share.
struct PairForm {
  std::vector<std::string> trees{};     ///< names of the trees that each side has
  std::vector<std::string> features{};  ///< names of the features
  /// Settings for reading new pairs: the format, the subtask, whether relations are marked (true, false), the chosen
  /// features and the chosen trees; and the stop words.
  std::vector<std::string> origin{};
  std::vector<std::string> stop_words{};
  friend bool operator==(const PairForm&, const PairForm&) = default;
};

inline constexpr std::size_t pair_origin_texts = 5;  ///< number of texts in PairForm::origin

/// Pairs held entirely by one rank.
struct PairBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  std::shared_ptr<const PairForm> form;
  std::vector<std::unique_ptr<ObjectBlock>> left, right;  ///< TreeBlocks, one per name of trees
  std::unique_ptr<ObjectBlock> features;                  ///< a PointBlock; null: there are none

  /// The labels of the trees of both blocks, and the names of trees and features.
  /// @throws Error(internal) if they differ
  [[nodiscard]] std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const override;
  /// Writes left/K/... and right/K/... (one forest each, K from 0), and features.
  void write(ArrayWriter& arrays, const CommonObjects* common) const override;
  /// The block with tree labels numbered as in `others`. @throws Error(internal) for a label that `others` does not
  /// have
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const override;
};

/// n pairs, contiguous over ranks, as sets of trees and of points with the same rows.
class PairSet final : public ObjectSet {
 public:
  /// The sets of trees of one name.
  struct Trees {
    std::unique_ptr<TreeSet> left, right;
  };
  /// @param trees     one per name in form.trees
  /// @param features  a PointSet with as many coordinates as form.features; null: there are none
  /// @throws Error(internal) if the sizes do not match
  PairSet(const RowPartition& partition, int rank, PairForm form, std::vector<Trees> trees,
          std::unique_ptr<ObjectSet> features, ObjectTexts texts);

  [[nodiscard]] const PairForm& form() const { return *form_; }
  [[nodiscard]] const std::vector<Trees>& trees() const { return trees_; }
  [[nodiscard]] const ObjectSet* features() const { return features_.get(); }
  /// Labels of all trees; null: there are no trees.
  [[nodiscard]] std::shared_ptr<const TreeLabels> tree_labels() const;

  [[nodiscard]] Index dimension() const override { return std::ssize(form_->features); }

  void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;

 private:
  // part(set) returns a block of each set, in a fixed order.
  template <class Part>
  [[nodiscard]] std::unique_ptr<PairBlock> made_of(std::vector<Index> ids, const Part& part) const;

  std::shared_ptr<const PairForm> form_;
  std::vector<Trees> trees_;
  std::unique_ptr<ObjectSet> features_;
};

/// DataKind::stored_common for pairs. Collective.
[[nodiscard]] std::unique_ptr<CommonObjects> read_common_pairs(const Communicator& communicator,
                                                               const ArrayReader& file, Index dimension);
/// DataKind::stored_single and stored_double for pairs; T is the type of the features. Local.
template <class T>
[[nodiscard]] std::unique_ptr<ObjectBlock> read_pair_block(const StoredObjects& stored);

}  // namespace cairn
