#include "cairn/data/corpus/corpus_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"

namespace cairn {

namespace {

// Draws in constant time from one 64-bit number (Walker 1977).
class AliasTable {
 public:
  explicit AliasTable(const std::vector<double>& weights) : entries_(weights.size()) {
    const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    std::vector<double> left;
    std::vector<std::int32_t> small, large;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      left.push_back(weights[k] / mean);
      (left[k] < 1.0 ? small : large).push_back(static_cast<std::int32_t>(k));
    }
    while (!small.empty() && !large.empty()) {
      const auto poor = static_cast<std::size_t>(small.back()), rich = static_cast<std::size_t>(large.back());
      small.pop_back();
      entries_[poor] = {left[poor], static_cast<std::int32_t>(rich)};
      left[rich] -= 1.0 - left[poor];
      if (left[rich] >= 1.0) continue;
      small.push_back(large.back());
      large.pop_back();
    }
    for (const auto* rest : {&small, &large}) {
      for (const std::int32_t k : *rest) entries_[k] = {1.0, k};
    }
  }

  /// @param place  uniform below the number of weights
  /// @param share  uniform in [0, 1)
  [[nodiscard]] std::int32_t draw(Index place, double share) const {
    const Entry& entry = entries_[place];
    return share < entry.share ? static_cast<std::int32_t>(place) : entry.other;
  }

 private:
  struct Entry {
    double share = 1.0;
    std::int32_t other = 0;
  };
  std::vector<Entry> entries_;
};

// Draws the words of this rank's texts, numbered by frequency rank from 0.
CorpusText draw_texts(const Communicator& communicator, const ZipfCorpus& corpus) {
  std::vector<double> weights;
  for (Index r = 1; r <= corpus.words; ++r) weights.push_back(1.0 / static_cast<double>(r));
  const AliasTable table(weights);
  const Random random(corpus.seed, Stream::generator);
  const Index texts = (corpus.tokens + corpus.length - 1) / corpus.length;
  const Range own = RowPartition(texts, communicator.size()).range(communicator.rank());
  CorpusText text;
  text.batches.clear();
  const Index unit = RowPartition::unit(texts);
  text.all_batches = (texts + unit - 1) / unit;
  text.tokens.reserve(own.size() * corpus.length);
  for (Index a = own.begin; a < own.end; ++a) {
    if (a % unit == 0) text.batches.push_back({a / unit, a - own.begin});
    for (Index t = a * corpus.length; t < std::min((a + 1) * corpus.length, corpus.tokens); ++t) {
      const auto bits = random.block(static_cast<std::uint64_t>(t));
      const auto place = static_cast<Index>(
          (static_cast<unsigned __int128>(bits[0]) * static_cast<unsigned __int128>(corpus.words)) >> 64U);
      text.tokens.push_back(table.draw(place, static_cast<double>(bits[1] >> 11U) * 0x1p-53));
    }
    text.starts.push_back(std::ssize(text.tokens));
  }
  return text;
}

}  // namespace

CorpusWords generate_corpus(const Communicator& communicator, const ZipfCorpus& corpus, const VocabularyLimits& limits,
                            CorpusText& text, CorpusCounts& counts) {
  text = collectively(communicator, [&] { return draw_texts(communicator, corpus); });
  Vocabulary met;
  collectively(communicator, [&] {
    std::vector<Index> times(corpus.words, 0);
    for (const std::int32_t token : text.tokens) ++times[token];
    std::vector<std::int32_t> numbers(times.size(), -1);
    for (std::size_t r = 0; r < times.size(); ++r) {
      if (times[r] > 0) numbers[r] = met.add(fmt::format("w{}", r + 1), times[r]);
    }
    for (std::int32_t& token : text.tokens) token = numbers[token];
  });
  return agree_on_vocabulary(communicator, met, limits, text, counts);
}

}  // namespace cairn
