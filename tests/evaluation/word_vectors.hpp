// Vectors of words for tests: distributed rows, and the labels of this rank's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cairn/linalg/tall/row_block.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

template <class T>
struct WordVectors {
  RowBlock<T> rows;
  std::vector<std::string> labels;
};

/// Row i has the label label(i), and value(i, k) in column k. Local.
template <class T = double>
WordVectors<T> word_vectors(Index words, Index columns, const std::function<std::string(Index)>& label,
                            const std::function<double(Index, Index)>& value, const Communicator& ranks = world()) {
  WordVectors<T> made{RowBlock<T>(RowPartition(words, ranks.size()), ranks.rank(), columns), {}};
  for (Index i = made.rows.range().begin; i < made.rows.range().end; ++i) {
    for (Index k = 0; k < columns; ++k) made.rows.row(i)[k] = static_cast<T>(value(i, k));
    made.labels.push_back(label(i));
  }
  return made;
}

/// A number in [-1, 1) that two numbers say.
inline double scattered(Index i, Index k) {
  const auto mixed = static_cast<std::uint64_t>(i * 1009 + k * 9176 + 5) * 0x9E3779B97F4A7C15ULL;
  return static_cast<double>((mixed ^ (mixed >> 29U)) % 100003) / 50001.5 - 1.0;
}

}  // namespace cairn::test
