// Similarities that come by source, for methods that ask for entries and columns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace cairn {

/// Another similarity's values between numbered vertices. Columns of K are evaluated source by source (see
/// evaluate_columns); a tile takes its sources from rows or columns, whichever are fewer, and a pair a source of its
/// own. Evaluations of columns are counted by the similarity behind it, those of tiles and pairs by both.
template <class T>
class SourceEntries final : public Similarity<T> {
 public:
  /// `sources` outlives this.
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
