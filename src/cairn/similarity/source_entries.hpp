// Single-source similarities, for methods that request entries and columns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Values of a SourceSimilarity between numbered vertices. Columns of K are evaluated source by source (see
/// evaluate_columns). A tile takes its sources from rows or columns, whichever are fewer; a pair has its own source.
/// The SourceSimilarity counts evaluations of columns; both count those of tiles and pairs.
template <class T>
class SourceEntries final : public Similarity<T> {
 public:
  /// @pre `sources` outlives this
  explicit SourceEntries(const SourceSimilarity& sources)
      : Similarity<T>({.name = sources.traits().name,
                       .meaning = sources.traits().meaning,
                       .defined_for_unseen = false,
                       .one_sided = !sources.traits().symmetric_by_construction}),
        sources_(sources) {}

  [[nodiscard]] const SourceSimilarity* by_source() const override { return &sources_; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return sources_.parameters();
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override;
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override;

 private:
  const SourceSimilarity& sources_;
};

}  // namespace cairn
