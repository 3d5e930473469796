#include "cairn/similarity/trees/label_classes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "cairn/linalg/dense/local_blas.hpp"

namespace cairn {

LabelGroups::LabelGroups(std::shared_ptr<const TreeLabels> labels) : labels_(std::move(labels)) {
  std::map<std::string_view, std::int32_t> speeches;
  for (std::int32_t label = 0; label < labels_->size(); ++label) {
    const LexicalLabel lexical = lexical_label(labels_->name(label));
    if (lexical.word.empty()) {
      groups_.push_back(label);
    } else {
      const auto next = static_cast<std::int32_t>(labels_->size() + std::ssize(speeches));
      groups_.push_back(speeches.emplace(lexical.speech, next).first->second);
    }
  }
}

void LabelGroups::append_vector(std::int32_t label, std::vector<double>& values) const {
  const std::int32_t row = labels_->vector_of(label);
  const Index width = dimension();
  if (row == TreeLabels::none) {
    values.resize(values.size() + static_cast<std::size_t>(width), 0.0);
    return;
  }
  const float* const vector = labels_->vectors()->vectors().row(row);
  double sum = 0;
  for (Index j = 0; j < width; ++j) sum += static_cast<double>(vector[j]) * static_cast<double>(vector[j]);
  const double scale = sum > 0 ? 1.0 / std::sqrt(sum) : 0.0;
  for (Index j = 0; j < width; ++j) values.push_back(scale * static_cast<double>(vector[j]));
}

void LabelSimilarities::compute(std::span<const std::int32_t> labels, std::span<const std::int32_t> of) {
  labels_.assign(labels.begin(), labels.end());
  starts_.clear();
  std::vector<std::pair<std::int32_t, std::size_t>> sorted;  // class, place in labels
  Index total = 0;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    starts_.push_back(0);
    if (of[k] >= 0) sorted.emplace_back(of[k], k);
  }
  std::ranges::sort(sorted);
  for (const auto& [c, k] : sorted) {
    starts_[k] = total;
    total += std::ssize(classes_[static_cast<std::size_t>(c)].labels);
  }
  values_.assign(static_cast<std::size_t>(total), 1.0);
  std::vector<double> vectors;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    const ClassWords& words = classes_[static_cast<std::size_t>(sorted[begin].first)];
    vectors.clear();
    for (end = begin; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end) {
      if (!words.vectors.empty()) groups_.append_vector(labels[sorted[end].second], vectors);
    }
    if (words.vectors.empty()) continue;
    double* const values = values_.data() + starts_[sorted[begin].second];
    const Index rows = static_cast<Index>(end - begin), columns = std::ssize(words.labels), width = groups_.dimension();
    blas::gemm('T', 'N', static_cast<int>(columns), static_cast<int>(rows), static_cast<int>(width), 1.0,
               words.vectors.data(), static_cast<int>(width), vectors.data(), static_cast<int>(width), 0.0, values,
               static_cast<int>(columns));
    for (Index a = 0; a < rows; ++a) {
      const std::int32_t own = labels[sorted[begin + static_cast<std::size_t>(a)].second];
      for (Index b = 0; b < columns; ++b) {
        double& value = values[a * columns + b];
        if (words.labels[static_cast<std::size_t>(b)] == own) {
          value = 1.0;
        } else if (value < threshold_) {
          value = 0.0;
        }
      }
    }
  }
}

const double* LabelSimilarities::row(std::int32_t label) const {
  const auto at = std::ranges::lower_bound(labels_, label) - labels_.begin();
  return values_.data() + starts_[static_cast<std::size_t>(at)];
}

}  // namespace cairn
