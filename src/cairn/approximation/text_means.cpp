#include "cairn/approximation/text_means.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/approximation/fetch_rows.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

namespace {

constexpr Index most_bytes_of_words = Index{64} << 20U;

// The distinct words of this rank's texts that have rows, ascending.
std::vector<Index> words_in_use(const DocumentBags& bags, Index words) {
  std::vector<char> used(words, 0);
  for (const std::int32_t word : bags.words) {
    if (word < words) used[word] = 1;
  }
  std::vector<Index> list;
  for (Index w = 0; w < words; ++w) {
    if (used[w] != 0) list.push_back(w);
  }
  return list;
}

// Positions of words in such a list.
std::vector<Index> places_of(const std::vector<Index>& used, Index words) {
  std::vector<Index> places(words, 0);
  for (std::size_t k = 0; k < used.size(); ++k) places[used[k]] = static_cast<Index>(k);
  return places;
}

// The weight of a token of each word; collective.
std::vector<double> token_weights(const Communicator& communicator, const DocumentSet& texts, Index words,
                                  WordWeights weights) {
  auto all = collectively(communicator, [&] { return std::vector<double>(static_cast<std::size_t>(words), 1.0); });
  if (weights == WordWeights::mean) return all;
  auto holding = collectively(communicator, [&] { return std::vector<Index>(static_cast<std::size_t>(words), 0); });
  for (const std::int32_t word : texts.bags().words) {
    if (word < words) ++holding[word];
  }
  communicator.sum(std::span<Index>(holding));
  const auto total = static_cast<double>(texts.size());
  for (std::size_t w = 0; w < all.size(); ++w) {
    all[w] = 1.0 + std::log((1.0 + total) / (1.0 + static_cast<double>(holding[w])));
  }
  return all;
}

void require_words(const Index words, bool symmetric, bool sparse, bool transformed) {
  if (symmetric && !sparse && !transformed && words > 0) return;
  throw Error(ErrorKind::usage,
              "rows of texts can be computed only if K~ between words is L J L' with one dense factor: not for "
              "distances, and not for two factors");
}

}  // namespace

template <class T>
Approximation<T> approximation_of_texts(const Execution& execution, const Approximation<T>& words,
                                        const DocumentSet& texts, WordWeights weights) {
  const Communicator& communicator = execution.communicator;
  collectively(communicator, [&] {
    require_words(words.left.partition().rows(), words.symmetric && !words.right, words.left.is_sparse(),
                  words.transform != Transform::none);
  });
  const auto phase = execution.phases.enter("means");
  const RowBlock<T>& rows = words.left.dense();
  const Index count = rows.rows(), columns = rows.columns();
  const DocumentBags& bags = texts.bags();
  const std::vector<double> token = token_weights(communicator, texts, count, weights);
  const std::vector<Index> used = collectively(communicator, [&] { return words_in_use(bags, count); });
  const std::vector<Index> place = collectively(communicator, [&] { return places_of(used, count); });
  auto means = collectively(communicator, [&] { return RowBlock<T>(texts.partition(), communicator.rank(), columns); });
  const Index most_used = std::max<Index>(1, communicator.maximum(std::ssize(used)));
  const Index at_once =
      std::clamp<Index>(most_bytes_of_words / (most_used * static_cast<Index>(sizeof(T))), 1, columns);
  auto sums = collectively(communicator, [&] { return std::vector<double>(static_cast<std::size_t>(at_once)); });
  for (Index first = 0; first < columns; first += at_once) {
    const Range range{first, std::min(first + at_once, columns)};
    const Buffer<T> fetched = fetch_rows(communicator, rows, std::span<const Index>(used), range);
    for (Index a = 0; a < bags.size(); ++a) {
      sums.assign(range.size(), 0.0);
      double total = 0;
      for (Index e = bags.starts[a]; e < bags.starts[static_cast<std::size_t>(a) + 1]; ++e) {
        const Index word = bags.words[e];
        const double tokens = bags.counts[e];
        const double weight = word < count ? tokens * token[word] : tokens;
        total += weight;
        if (word >= count) continue;
        const T* row = fetched.data() + place[word] * range.size();
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weight * static_cast<double>(row[c]);
      }
      T* mean = means.local().row(a) + first;
      for (std::size_t c = 0; c < sums.size(); ++c) mean[c] = total > 0 ? static_cast<T>(sums[c] / total) : T(0);
    }
  }
  Approximation<T> result;
  result.core_matrix = collectively(communicator, [&] { return copy_of(words.core_matrix); });
  result.meaning = words.meaning;
  result.symmetric = true;
  result.report = words.report;
  result.left = std::move(means);
  return result;
}

std::shared_ptr<const std::vector<std::string>> replicated_words(const Communicator& communicator,
                                                                 const std::vector<std::string>& own) {
  std::vector<char> characters;
  for (const std::string& word : own) {
    characters.insert(characters.end(), word.begin(), word.end());
    characters.push_back('\0');
  }
  const std::vector<char> all = communicator.all_gather(characters);
  return collectively(communicator, [&] {
    auto words = std::make_shared<std::vector<std::string>>();
    for (std::size_t at = 0; at < all.size();) {
      words->emplace_back(all.data() + at);
      at += words->back().size() + 1;
    }
    return std::shared_ptr<const std::vector<std::string>>(std::move(words));
  });
}

template Approximation<float> approximation_of_texts(const Execution&, const Approximation<float>&, const DocumentSet&,
                                                     WordWeights);
template Approximation<double> approximation_of_texts(const Execution&, const Approximation<double>&,
                                                      const DocumentSet&, WordWeights);

}  // namespace cairn
