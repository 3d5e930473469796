// Reads and writes trees in the arrays of a result file. Private to this folder and to kinds of data that hold trees.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/data/object_arrays.hpp"
#include "cairn/data/object_set.hpp"
#include "cairn/data/trees/forest.hpp"
#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

/// The labels that some trees use, renumbered consecutively. In a file: tree-labels/names, tree-labels/origin (format,
/// tree, text), and tree-labels/words and tree-labels/vectors if labels have word vectors.
class CommonLabels final : public CommonObjects {
 public:
  /// @param used  indices into `labels`, ascending
  CommonLabels(std::shared_ptr<const TreeLabels> labels, std::vector<std::int32_t> used);
  [[nodiscard]] const std::shared_ptr<const TreeLabels>& labels() const { return labels_; }
  [[nodiscard]] std::int32_t number(std::int32_t label) const;
  void write(ArrayWriter& arrays) const override;

 private:
  std::shared_ptr<const TreeLabels> labels_;
  std::vector<std::int32_t> used_;
};

/// The labels of the nodes of some forests. Local.
[[nodiscard]] std::vector<std::int32_t> used_labels(const std::vector<ForestView>& forests);

/// Writes a forest as the arrays prefix + "starts", "labels" and "sizes". @throws as the file does. Local.
void write_forest(ArrayWriter& arrays, const std::string& prefix, ForestView forest, const CommonLabels& common);
/// Reads a forest. @throws Error(input) if the arrays are not `size` valid trees of the common labels. Local.
[[nodiscard]] Forest read_forest(const ArrayReader& arrays, const std::string& prefix, Index size,
                                 const CommonLabels& common);
/// Renumbers the labels of a forest as in `to`. @throws Error(internal) for a label that `to` lacks. Local.
[[nodiscard]] Forest renumbered(ForestView forest, const TreeLabels& from, const TreeLabels& to);

/// DataKind::stored_common for trees. Collective.
[[nodiscard]] std::unique_ptr<CommonObjects> read_common_labels(const Communicator& communicator,
                                                                const ArrayReader& file, Index dimension);
/// DataKind::stored_single and stored_double. Local.
[[nodiscard]] std::unique_ptr<ObjectBlock> read_tree_block(const StoredObjects& stored);

}  // namespace cairn
