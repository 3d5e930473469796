// Word mover's distance by its definition, through another program's network simplex.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "cairn/data/documents/document_set.hpp"
#include "lemon_transport.hpp"

namespace cairn::test {

/// Words of a document, and how often each comes.
struct BagView {
  std::span<const std::int32_t> words;
  std::span<const float> counts;
};

inline BagView bag_view(const DocumentBlock& block, Index a) {
  const auto begin = static_cast<std::size_t>(block.starts[a]);
  const auto size = static_cast<std::size_t>(block.starts[static_cast<std::size_t>(a) + 1]) - begin;
  return {block.words.subspan(begin, size), block.counts.subspan(begin, size)};
}

inline double word_distance(const WordVectors& vectors, Index a, Index b) {
  double square = 0.0;
  for (Index k = 0; k < vectors.dimension(); ++k) {
    const double difference =
        static_cast<double>(vectors.vectors()(a, k)) - static_cast<double>(vectors.vectors()(b, k));
    square += difference * difference;
  }
  return std::sqrt(square);
}

/// All of the mass of one document to all of the other's. Counts are whole.
inline double lemon_word_movers_distance(const BagView& x, const BagView& y, const WordVectors& vectors) {
  const auto total = [](const BagView& bag) {
    return std::llround(std::accumulate(bag.counts.begin(), bag.counts.end(), 0.0));
  };
  std::vector<double> costs;
  std::vector<long long> supply, demand;
  for (const std::int32_t a : x.words) {
    for (const std::int32_t b : y.words) costs.push_back(word_distance(vectors, a, b));
  }
  for (const float count : x.counts) supply.push_back(std::llround(count) * total(y));
  for (const float count : y.counts) demand.push_back(std::llround(count) * total(x));
  return lemon_transport(costs, supply, demand) / static_cast<double>(total(x) * total(y));
}

}  // namespace cairn::test
