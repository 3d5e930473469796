// Which labels partial tree kernels compare, and how similar they are. Private to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cairn/data/trees/tree_labels.hpp"

namespace cairn {

/// Labels in groups: each one alone, or lexical labels of one part of speech together.
class LabelGroups {
 public:
  LabelGroups() = default;
  explicit LabelGroups(std::shared_ptr<const TreeLabels> labels);
  /// A number that labels of one group share.
  [[nodiscard]] std::int32_t group(std::int32_t label) const {
    return groups_.empty() ? label : groups_[static_cast<std::size_t>(label)];
  }
  /// Whether labels have words that are compared.
  [[nodiscard]] bool smooth() const { return !groups_.empty(); }
  /// Whether the group is one of lexical labels.
  [[nodiscard]] bool lexical(std::int32_t group) const { return smooth() && group >= labels_->size(); }
  [[nodiscard]] Index dimension() const { return labels_->vectors()->dimension(); }
  /// Appends the vector of the label's word, of length 1, or zeros if it has none.
  void append_vector(std::int32_t label, std::vector<double>& values) const;

 private:
  std::shared_ptr<const TreeLabels> labels_;
  std::vector<std::int32_t> groups_;
};

/// The labels of a class of nodes of one group, and the vectors of their words.
struct ClassWords {
  std::vector<std::int32_t> labels;
  std::vector<double> vectors;  ///< labels x dimension; empty: one label alone
};

/// Similarities of some labels with those of classes.
class LabelSimilarities {
 public:
  LabelSimilarities(const LabelGroups& groups, std::span<const ClassWords> classes, double threshold)
      : groups_(groups), classes_(classes), threshold_(threshold) {}
  /// Computes those of these labels (ascending, different), each with the labels of its class; `of` is the class of
  /// each, or negative.
  void compute(std::span<const std::int32_t> labels, std::span<const std::int32_t> of);
  /// With each label of the class. @pre compute() was given this label
  [[nodiscard]] const double* row(std::int32_t label) const;

 private:
  const LabelGroups& groups_;
  std::span<const ClassWords> classes_;
  double threshold_;
  std::vector<std::int32_t> labels_;
  std::vector<Index> starts_;
  std::vector<double> values_;
};

}  // namespace cairn
