// Counting of the windows that words share (FILE: a table of texts separated by tabs, stop words and markup kept;
// WINDOW; REPEATS), in nanoseconds per token: on all ranks by Cairn; on one rank also by a hash table of pairs, and by
// one with open addressing. One line of JSON.
#include "cairn/data/corpus/counting.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "benchmark_main.hpp"
#include "cairn/data/corpus/window_counts.hpp"
#include "cairn/data/documents/document_formats.hpp"
#include "resources.hpp"

namespace {

using namespace cairn;

struct Corpus {
  CorpusText text;
  CorpusWords words;
  CorpusCounts counts;
};

Corpus read_corpus(const Communicator& world, const std::string& path) {
  const DocumentSource source{.path = path};
  Tokenizer tokenizer(source.tokenization);
  Vocabulary met;
  Corpus corpus;
  open_document_file(world, source)
      ->for_each(
          world,
          [&](const DocumentText& document, Index /*line*/) {
            tokenizer.cut(document.text, [&](std::string_view word) { corpus.text.tokens.push_back(met.add(word)); });
            corpus.text.starts.push_back(std::ssize(corpus.text.tokens));
          },
          [](Index /*block*/, Index /*lines*/) {});
  corpus.words = agree_on_vocabulary(world, met, {.minimum_count = 5}, corpus.text, corpus.counts);
  return corpus;
}

// A pair as one number; the rarer word first.
std::uint64_t key_of(std::int32_t i, std::int32_t j) {
  return (static_cast<std::uint64_t>(std::max(i, j)) << 32U) | static_cast<std::uint64_t>(std::min(i, j));
}

template <class Add>
void all_windows(const Corpus& corpus, Index window, Add add) {
  NextPlaces places(corpus.words.size());
  for (Index a = 0; a < corpus.text.texts(); ++a) {
    const auto text = corpus.text.text(a);
    count_windows(text, window, places.find(text), {1, std::ssize(text)}, add);
  }
}

// Counts on one rank; returns the number of pairs.
Index by_hash_table(const Corpus& corpus, Index window) {
  std::unordered_map<std::uint64_t, Index> sums;
  all_windows(corpus, window, [&](std::int32_t i, std::int32_t j, Index count) { sums[key_of(i, j)] += count; });
  return std::ssize(sums);
}

// The counts of by_hash_table, in a table of keys and sums that is doubled when it is half full.
class OpenTable {
 public:
  void add(std::uint64_t key, Index count) {
    if (2 * used_ >= static_cast<Index>(keys_.size())) grow();
    const std::size_t place = place_of(key);
    if (keys_[place] == none) {
      keys_[place] = key;
      ++used_;
    }
    sums_[place] += count;
  }
  [[nodiscard]] Index size() const { return used_; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    std::size_t place = (key * 0x9E3779B97F4A7C15U) >> shift_;
    while (keys_[place] != none && keys_[place] != key) place = (place + 1) & (keys_.size() - 1);
    return place;
  }
  void grow() {
    const OpenTable old = *this;
    keys_.assign(2 * old.keys_.size(), none);
    sums_.assign(keys_.size(), 0);
    --shift_;
    for (std::size_t k = 0; k < old.keys_.size(); ++k) {
      if (old.keys_[k] == none) continue;
      const std::size_t place = place_of(old.keys_[k]);
      keys_[place] = old.keys_[k];
      sums_[place] = old.sums_[k];
    }
  }

  int shift_ = 44;
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(std::size_t{1} << 20U, none);
  std::vector<Index> sums_ = std::vector<Index>(std::size_t{1} << 20U, 0);
  Index used_ = 0;
};

Index by_open_addressing(const Corpus& corpus, Index window) {
  OpenTable table;
  all_windows(corpus, window, [&](std::int32_t i, std::int32_t j, Index count) { table.add(key_of(i, j), count); });
  return table.size();
}

Index by_nothing(const Corpus& corpus, Index window) {
  Index sum = 0;
  all_windows(corpus, window, [&](std::int32_t i, std::int32_t j, Index count) { sum += count + (i ^ j); });
  return sum;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

nlohmann::json run(const Communicator& world, const std::string& path, Index window, int repeats) {
  const Corpus corpus = read_corpus(world, path);
  const Counting counting{.window = window};
  Phases phases;
  MemoryLedger ledger;
  const Execution execution{world, phases, ledger, 1, 0};
  const auto nanoseconds = [&](double seconds) { return 1e9 * seconds / static_cast<double>(corpus.counts.kept); };
  nlohmann::json line;
  std::vector<double> ours, windows, hashed, open;
  Index pairs = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const bench::Stopwatch watch(world);
    const CooccurrenceCounts counts = count_cooccurrences(execution, corpus.text, corpus.words, counting);
    ours.push_back(nanoseconds(watch.seconds()));
    pairs = world.sum(counts.own_entries());
    if (world.size() > 1) continue;
    const auto timed = [&](Index (*count)(const Corpus&, Index), std::vector<double>& times) {
      const bench::Stopwatch of_peer(world);
      const Index found = count(corpus, window);
      times.push_back(nanoseconds(of_peer.seconds()));
      return found;
    };
    line["checksum"] = timed(by_nothing, windows);
    const Index by_table = timed(by_open_addressing, open), by_map = timed(by_hash_table, hashed);
    if (by_table != pairs || by_map != pairs) throw Error(ErrorKind::internal, "the peers count other pairs");
  }
  line["words"] = corpus.words.size();
  line["tokens"] = corpus.counts.kept;
  line["pairs"] = pairs;
  line["ranks"] = world.size();
  line["cairn"] = median(ours);
  if (world.size() > 1) return line;
  line["windows"] = median(windows);
  line["unordered_map"] = median(hashed);
  line["open_addressing"] = median(open);
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmark(argc, argv, [&](const Communicator& world) {
    if (argc < 4) throw Error(ErrorKind::usage, "bench_counting FILE WINDOW REPEATS");
    return run(world, argv[1], std::atoll(argv[2]), std::atoi(argv[3]));
  });
}
