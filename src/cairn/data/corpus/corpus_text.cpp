#include "cairn/data/corpus/corpus_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/documents/word_messages.hpp"

namespace cairn {

namespace {

// The words that this rank owns and that occur often enough, as bytes: count, length, characters.
std::vector<char> packed(const TextMap<Index>& owned, Index minimum_count) {
  std::vector<char> bytes;
  for (const auto& [word, count] : owned) {
    if (count < minimum_count) continue;
    const std::array<Index, 2> head = {count, std::ssize(word)};
    const auto* begin = reinterpret_cast<const char*>(head.data());
    bytes.insert(bytes.end(), begin, begin + sizeof(head));
    bytes.insert(bytes.end(), word.begin(), word.end());
  }
  return bytes;
}

CorpusWords unpacked(const std::vector<char>& bytes) {
  CorpusWords all;
  for (std::size_t at = 0; at < bytes.size();) {
    std::array<Index, 2> head{};
    std::memcpy(head.data(), bytes.data() + at, sizeof(head));
    at += sizeof(head);
    all.counts.push_back(head[0]);
    all.words.emplace_back(bytes.data() + at, static_cast<std::size_t>(head[1]));
    at += static_cast<std::size_t>(head[1]);
  }
  return all;
}

CorpusWords sorted(CorpusWords all, Index size) {
  std::vector<std::size_t> order(all.words.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return all.counts[a] != all.counts[b] ? all.counts[a] > all.counts[b] : all.words[a] < all.words[b];
  });
  if (size > 0 && std::ssize(order) > size) order.resize(size);
  CorpusWords result;
  for (const std::size_t k : order) {
    result.words.push_back(std::move(all.words[k]));
    result.counts.push_back(all.counts[k]);
  }
  return result;
}

// The vocabulary number of each word of this rank, or -1.
std::vector<std::int32_t> numbers_of_met(const Vocabulary& met, const CorpusWords& words) {
  TextMap<std::int32_t> numbers;
  numbers.reserve(words.words.size());
  for (std::size_t k = 0; k < words.words.size(); ++k) numbers.emplace(words.words[k], static_cast<std::int32_t>(k));
  std::vector<std::int32_t> all;
  for (Index k = 0; k < met.size(); ++k) {
    const auto found = numbers.find(met.word(k));
    all.push_back(found != numbers.end() ? found->second : -1);
  }
  return all;
}

// Replaces every token by number_of(text)(place, token); tokens with a negative number are removed.
template <class NumberOf>
void renumber(CorpusText& text, NumberOf number_of) {
  Index end = 0;
  for (Index a = 0; a < text.texts(); ++a) {
    const auto tokens = text.text(a);
    const auto number_in_text = number_of(tokens);
    text.starts[a] = end;  // the old bounds of text a have been read
    for (std::size_t p = 0; p < tokens.size(); ++p) {
      const std::int32_t number = number_in_text(p, tokens[p]);
      if (number >= 0) text.tokens[end++] = number;
    }
  }
  text.starts.back() = end;
  text.tokens.resize(end);
}

// Number of empty texts of all ranks. Collective.
Index empty_texts(const Communicator& communicator, const CorpusText& text) {
  Index empty = 0;
  for (Index a = 0; a < text.texts(); ++a) empty += text.text(a).empty() ? 1 : 0;
  return communicator.sum(empty);
}

}  // namespace

CorpusWords agree_on_vocabulary(const Communicator& communicator, const Vocabulary& met, const VocabularyLimits& limits,
                                CorpusText& text, CorpusCounts& counts) {
  WordMessage message(communicator.size());
  collectively(communicator, [&] {
    for (Index k = 0; k < met.size(); ++k) message.add(met.word(k), met.count(k));
  });
  message.exchange(communicator);
  TextMap<Index> owned;
  const std::vector<char> own_words = collectively(communicator, [&] {
    message.for_each([&](std::size_t /*rank*/, std::size_t /*k*/, std::string_view word, Index count) {
      const auto found = owned.find(word);
      if (found != owned.end()) {
        found->second += count;
      } else {
        owned.emplace(word, count);
      }
    });
    return packed(owned, limits.minimum_count);
  });
  const std::vector<char> all_words = communicator.all_gather(own_words);
  auto words = collectively(communicator, [&] { return sorted(unpacked(all_words), limits.size); });
  counts.different = communicator.sum(std::ssize(owned));
  counts.texts = communicator.sum(text.texts());
  counts.tokens = communicator.sum(std::ssize(text.tokens));
  const auto numbers = collectively(communicator, [&] { return numbers_of_met(met, words); });
  renumber(text, [&](std::span<const std::int32_t> /*tokens*/) {
    return [&](std::size_t /*place*/, std::int32_t token) { return numbers[token]; };
  });
  counts.kept = communicator.sum(std::ssize(text.tokens));
  counts.empty = empty_texts(communicator, text);
  return words;
}

double kept_share(double rate, Index count, Index tokens) {
  return std::min(1.0, std::sqrt(rate * static_cast<double>(tokens) / static_cast<double>(count)));
}

void subsample(const Communicator& communicator, const CorpusWords& words, double rate, CorpusText& text,
               CorpusCounts& counts) {
  constexpr std::uint64_t of_draws = 13;
  collectively(communicator, [&] {
    std::vector<double> share;
    for (const Index count : words.counts) share.push_back(kept_share(rate, count, counts.kept));
    const Random random(0, Stream::subsampling);
    renumber(text, [&](std::span<const std::int32_t> tokens) {
      const std::uint64_t address = hash_bytes(std::as_bytes(tokens), of_draws);
      return [&, address](std::size_t place, std::int32_t token) {
        return random.uniform(address, place) < share[token] ? token : -1;
      };
    });
  });
  counts.dropped = counts.kept - communicator.sum(std::ssize(text.tokens));
  counts.empty = empty_texts(communicator, text);
}

std::uint64_t corpus_digest(const Communicator& communicator, const CorpusWords& words, const CorpusText& text) {
  constexpr std::uint64_t of_texts = 11, of_words = 12;
  std::uint64_t sum = 0;  // modulo 2^64; the order of the texts does not matter
  for (Index a = 0; a < text.texts(); ++a) {
    if (!text.text(a).empty()) sum += hash_bytes(std::as_bytes(text.text(a)), of_texts);
  }
  sum = communicator.sum(sum);
  std::uint64_t digest = of_words;
  for (const std::string& word : words.words) digest = hash_text(word, digest);
  return mix_bits(digest ^ mix_bits(sum));
}

}  // namespace cairn
