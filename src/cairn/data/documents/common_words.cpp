#include "cairn/data/documents/common_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

// Words and vectors of both sets, and the numbers of the second set's words among them.
struct Union {
  std::vector<std::string> words;
  std::vector<float> values;
  std::vector<std::int32_t> numbers;
};

Union united(const WordVectors& first, const WordVectors& second) {
  const Index dimension = first.dimension();
  if (second.dimension() != dimension) {
    throw Error(ErrorKind::input, fmt::format("the words of some texts have vectors of {} numbers, and those of others "
                                              "of {}: texts are compared that have vectors from the same file",
                                              dimension, second.dimension()));
  }
  Union all;
  std::unordered_map<std::string_view, std::int32_t> known;
  for (Index w = 0; w < first.size(); ++w) {
    known.emplace(first.word(w), static_cast<std::int32_t>(w));
    all.words.emplace_back(first.word(w));
  }
  all.values.assign(first.vectors().data, first.vectors().data + first.size() * dimension);
  for (Index w = 0; w < second.size(); ++w) {
    const float* const vector = second.vectors().row(w);
    const auto found = known.find(second.word(w));
    if (found == known.end()) {
      all.numbers.push_back(static_cast<std::int32_t>(all.words.size()));
      all.words.emplace_back(second.word(w));
      all.values.insert(all.values.end(), vector, vector + dimension);
      continue;
    }
    all.numbers.push_back(found->second);
    if (std::equal(vector, vector + dimension, first.vectors().row(found->second))) continue;
    throw Error(ErrorKind::input, fmt::format("the word '{}' has two different vectors: texts are compared that have "
                                              "vectors from the same file",
                                              second.word(w)));
  }
  return all;
}

// Bags with other numbers of their words.
DocumentBags renumbered_bags(DocumentBags bags, const std::vector<std::int32_t>& numbers) {
  std::vector<std::pair<std::int32_t, float>> entries;
  for (std::size_t d = 0; d + 1 < bags.starts.size(); ++d) {
    const auto from = static_cast<std::size_t>(bags.starts[d]), to = static_cast<std::size_t>(bags.starts[d + 1]);
    entries.clear();
    for (std::size_t e = from; e < to; ++e) entries.emplace_back(numbers[bags.words[e]], bags.counts[e]);
    std::sort(entries.begin(), entries.end());
    for (std::size_t e = from; e < to; ++e) std::tie(bags.words[e], bags.counts[e]) = entries[e - from];
  }
  return bags;
}

std::unique_ptr<DocumentSet> copy_of(const Communicator& communicator, const DocumentSet& documents, DocumentBags bags,
                                     const std::shared_ptr<const WordVectors>& vectors) {
  return std::make_unique<DocumentSet>(documents.partition(), communicator.rank(), vectors, std::move(bags),
                                       texts_of(documents));
}

}  // namespace

DocumentsOfCommonWords with_common_words(const Communicator& communicator, const DocumentSet& first,
                                         const DocumentSet& second) {
  const Union all = collectively(communicator, [&] { return united(*first.vectors(), *second.vectors()); });
  const auto vectors =
      std::make_shared<const WordVectors>(communicator, all.words, first.vectors()->dimension(), all.values);
  return collectively(communicator, [&] {
    return DocumentsOfCommonWords{copy_of(communicator, first, first.bags(), vectors),
                                  copy_of(communicator, second, renumbered_bags(second.bags(), all.numbers), vectors)};
  });
}

}  // namespace cairn
