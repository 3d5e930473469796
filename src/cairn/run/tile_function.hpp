// A similarity of points that is a function of the caller's. Private to this folder.
#pragma once

#include "cairn/run/similarity_matrix.hpp"
#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Tiles by one call of the function, pairs by one call a pair.
template <class T>
class FunctionOfPoints final : public Similarity<T> {
 public:
  FunctionOfPoints(TileFunction<T> function, FunctionTraits traits, Index dimension)
      : Similarity<T>(
            {.name = std::move(traits.name), .meaning = traits.distance ? Meaning::distance : Meaning::similarity}),
        function_(std::move(function)),
        dimension_(dimension) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override;
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override;

 private:
  TileFunction<T> function_;
  Index dimension_;
};

}  // namespace cairn
