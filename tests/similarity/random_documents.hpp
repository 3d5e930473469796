// Random bags of words for tests of similarities between documents.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cairn/base/random.hpp"
#include "cairn/data/documents/document_set.hpp"
#include "test_communicator.hpp"

namespace cairn::test {

/// `words` words with standard normal coordinates times `scale`; the last tenth of them has the vectors of the first.
/// The same on any number of ranks. Collective.
inline std::shared_ptr<const WordVectors> make_word_vectors(Index words, Index dimension, double scale = 1.0) {
  const Random random(17, Stream::test);
  std::vector<std::string> texts;
  std::vector<float> values;
  for (Index w = 0; w < words; ++w) {
    texts.push_back("w" + std::to_string(w));
    const Index as = w < words - words / 10 ? w : w - (words - words / 10);
    for (Index k = 0; k < dimension; ++k) {
      values.push_back(
          static_cast<float>(scale * random.normal(static_cast<std::uint64_t>(as), static_cast<std::uint64_t>(k))));
    }
  }
  return std::make_shared<const WordVectors>(world(), texts, dimension, values);
}

/// Document `i` of a random collection: up to `most` different words, a count of 1 to 3 each.
inline void append_random_document(DocumentBags& bags, Index i, Index vocabulary, Index most, std::uint64_t seed) {
  const Random random(seed, Stream::test);
  const auto at = static_cast<std::uint64_t>(i) + 1000;
  const Index length = 1 + random.below(most, at, 0);
  std::set<std::int32_t> words;
  for (std::uint64_t draw = 1; static_cast<Index>(words.size()) < length; ++draw) {
    const double u = random.uniform(at, draw);  // small numbers often, as in texts
    words.insert(static_cast<std::int32_t>(u * u * static_cast<double>(vocabulary)));
  }
  for (const std::int32_t word : words) {
    bags.words.push_back(word);
    bags.counts.push_back(static_cast<float>(1 + random.below(3, at, 1'000'000 + static_cast<std::uint64_t>(word))));
  }
  bags.starts.push_back(static_cast<Index>(bags.words.size()));
}

/// n random documents over the ranks. Collective.
inline DocumentSet make_documents(Index n, Index most, std::shared_ptr<const WordVectors> vectors,
                                  std::uint64_t seed = 5) {
  const RowPartition partition(n, world().size());
  DocumentBags bags;
  const Range mine = partition.range(world().rank());
  for (Index i = mine.begin; i < mine.end; ++i) append_random_document(bags, i, vectors->size(), most, seed);
  return DocumentSet(partition, world().rank(), std::move(vectors), std::move(bags));
}

}  // namespace cairn::test
