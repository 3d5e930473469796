#include "cairn/data/word_vectors/word_vectors.hpp"

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/process/watchdog.hpp"

namespace cairn {

namespace {

constexpr Index piece_words = 8192;  // number of words sent at once

// Header of a word in a message.
struct Travelling {
  Index number = 0;
  Index bytes = 0;
};

void require(bool holds, const char* what) {
  if (!holds) throw Error(ErrorKind::internal, what);
}

}  // namespace

WordVectors::WordVectors(const Communicator& communicator, Index dimension, const Part& own) : dimension_(dimension) {
  const std::vector<std::string> words = gather(communicator, own);
  keep_words(communicator, words);
}

WordVectors::WordVectors(const Communicator& communicator, std::span<const std::string> words, Index dimension,
                         std::span<const float> values)
    : dimension_(dimension) {
  require(dimension >= 1 && values.size() == words.size() * static_cast<std::size_t>(dimension),
          "words and their vectors are not of one number");
  values_ = NodeArray<float>(communicator, std::ssize(values));
  if (values_.node().is_root()) std::ranges::copy(values, values_.writable().begin());
  values_.publish();
  keep_words(communicator, {words.begin(), words.end()});
}

// Gathers the words of all ranks, by number, on the first rank of each node, and their vectors in values_. Each rank in
// turn sends its part to all ranks, in pieces.
std::vector<std::string> WordVectors::gather(const Communicator& communicator, const Part& own) {
  const auto width = static_cast<std::size_t>(dimension_);
  const bool fits =
      dimension_ >= 1 && own.words.size() == own.numbers.size() && own.values.size() == own.numbers.size() * width;
  require(communicator.minimum(fits ? 1 : 0) == 1, "words and their vectors are not of one number");
  const std::vector<Index> sizes = communicator.all_gather_one(std::ssize(own.numbers));
  Index total = 0;
  for (const Index size : sizes) total += size;
  values_ = NodeArray<float>(communicator, total * dimension_);
  const bool keeps = values_.node().is_root();
  std::vector<std::string> words(keeps ? static_cast<std::size_t>(total) : 0);
  std::vector<bool> seen(words.size(), false);
  bool sound = true;
  for (int r = 0; r < communicator.size(); ++r) {
    for (Index begin = 0; begin < sizes[r]; begin += piece_words) {
      const Index end = std::min(begin + piece_words, sizes[r]);
      std::vector<Travelling> heads(end - begin);
      std::vector<float> values(heads.size() * width);
      std::string characters;
      if (r == communicator.rank()) {
        for (Index k = begin; k < end; ++k) {
          const std::string& word = own.words[k];
          heads[k - begin] = {own.numbers[k], std::ssize(word)};
          characters += word;
        }
        std::copy_n(own.values.data() + begin * dimension_, values.size(), values.data());
      }
      communicator.broadcast(std::span(heads), r);
      communicator.broadcast(std::span(values), r);
      communicator.broadcast(characters, r);
      Watchdog::beat();
      if (!keeps) continue;
      std::size_t at = 0;
      for (std::size_t k = 0; k < heads.size(); ++k) {
        const Index number = heads[k].number;
        const auto bytes = static_cast<std::size_t>(heads[k].bytes);
        if (number < 0 || number >= total || seen[number]) {
          sound = false;
        } else {
          seen[number] = true;
          words[number] = characters.substr(at, bytes);
          std::copy_n(values.data() + k * width, width, values_.writable().data() + number * dimension_);
        }
        at += bytes;
      }
    }
  }
  require(communicator.minimum(sound ? 1 : 0) == 1, "words are not numbered from 0, each once");
  values_.publish();
  return words;
}

// @param words  used only on the first rank of each node
void WordVectors::keep_words(const Communicator& communicator, const std::vector<std::string>& words) {
  Index characters = 0;
  for (const std::string& word : words) characters += std::ssize(word);
  starts_ = NodeArray<Index>(communicator, values_.size() / dimension_ + 1);
  characters_ = NodeArray<char>(communicator, communicator.maximum(characters));
  if (starts_.node().is_root()) {
    Index at = 0;
    for (std::size_t w = 0; w < words.size(); ++w) {
      starts_.writable()[w] = at;
      std::ranges::copy(words[w], characters_.writable().begin() + at);
      at += std::ssize(words[w]);
    }
    starts_.writable()[words.size()] = at;
  }
  starts_.publish();
  characters_.publish();
}

}  // namespace cairn
