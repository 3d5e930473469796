#include "cairn/data/trees/label_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/word_vectors/vector_formats.hpp"
#include "cairn/data/word_vectors/vector_source.hpp"

namespace cairn {

namespace {

std::unordered_set<std::string_view> lexical_words(const TreeLabels& labels) {
  std::unordered_set<std::string_view> words;
  for (std::int32_t k = 0; k < labels.size(); ++k) {
    if (const LexicalLabel label = lexical_label(labels.name(k)); !label.word.empty()) words.insert(label.word);
  }
  return words;
}

// A result's vector of a word must equal the file's up to rounding.
void require_known(std::span<const float> known, std::span<const float> read, const std::string& place,
                   const std::string& word) {
  constexpr double rounding = 1e-5;
  double difference = 0, norm = 0;
  for (std::size_t j = 0; j < known.size(); ++j) {
    difference += std::abs(static_cast<double>(known[j]) - static_cast<double>(read[j]));
    norm += std::abs(static_cast<double>(known[j]));
  }
  if (difference <= rounding * norm) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: the vector of '{}' is another one than that of the result: name the vectors that it was "
                          "made with",
                          place, word));
}

// Vectors of a result by word.
class KnownVectors {
 public:
  explicit KnownVectors(const TreeLabels* known) : vectors_(known != nullptr ? known->vectors().get() : nullptr) {
    for (Index w = 0; vectors_ != nullptr && w < vectors_->size(); ++w) rows_.emplace(vectors_->word(w), w);
  }
  [[nodiscard]] const WordVectors* vectors() const { return vectors_; }
  // Empty if the word has no vector.
  [[nodiscard]] std::span<const float> find(std::string_view word) const {
    const auto found = rows_.find(word);
    return found == rows_.end() ? std::span<const float>() : row(found->second);
  }
  [[nodiscard]] std::span<const float> row(Index w) const {
    return {vectors_->vectors().row(w), static_cast<std::size_t>(vectors_->dimension())};
  }

 private:
  const WordVectors* vectors_;
  std::unordered_map<std::string_view, Index> rows_;
};

FoundVectors read_vectors(const Communicator& communicator, const WordVectorSource& source, const std::string& format,
                          const WantedWord& wanted) {
  if (format == "text") return read_text_vectors(communicator, source, wanted);
  if (format == "word2vec") return read_word2vec(communicator, source, wanted);
  return read_row_vectors(communicator, source, format, wanted);
}

// The words found by any rank, each with its first place in the file. Collective.
using FirstPlaces = std::unordered_map<std::string, Index>;
FirstPlaces first_places(const Communicator& communicator, const FoundVectors& found, const WordVectorSource& source,
                         const std::string& format) {
  std::string joined;
  for (const std::string& word : found.words) joined.append(word).push_back('\0');
  const std::vector<char> all = communicator.all_gather(std::span<const char>(joined));
  const std::vector<Index> places = communicator.all_gather(found.places);
  FirstPlaces first;
  std::size_t begin = 0;
  for (const Index place : places) {
    const std::string word(all.data() + begin);
    begin += word.size() + 1;
    const auto [known, added] = first.emplace(word, place);
    if (added) continue;
    if (!source.first_of_repeated) {
      throw Error(
          ErrorKind::input,
          fmt::format("{}: the word '{}' has a vector already ({}); {} = first takes the first of several",
                      vector_place(source, format, std::max(place, known->second)), word,
                      vector_place(source, format, std::min(place, known->second)), source.keys("repeated-words")));
    }
    known->second = std::min(known->second, place);
  }
  return first;
}

// Removes vectors of words that have an earlier one; returns their number. Local.
Index leave_out_repeated(const FirstPlaces& first, FoundVectors& found) {
  const auto width = static_cast<std::size_t>(found.dimension);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < found.words.size(); ++k) {
    if (first.at(found.words[k]) != found.places[k]) continue;
    if (kept != k) {
      found.words[kept] = std::move(found.words[k]);
      found.places[kept] = found.places[k];
      std::copy_n(found.values.data() + k * width, width, found.values.data() + kept * width);
    }
    ++kept;
  }
  const Index left_out = std::ssize(found.words) - static_cast<Index>(kept);
  found.words.resize(kept);
  found.places.resize(kept);
  found.values.resize(kept * width);
  return left_out;
}

}  // namespace

LabelVectors read_label_vectors(const Communicator& communicator, const TreeLabels& labels,
                                const WordVectorSource& source, const TreeLabels* known_labels) {
  if (source.path.empty()) return {};
  const KnownVectors known(known_labels);
  std::unordered_set<std::string_view> wanted;
  const std::string format = collectively(communicator, [&] {
    wanted = lexical_words(labels);
    if (!wanted.empty()) return word_vector_format(source);
    throw Error(ErrorKind::input, fmt::format("{} = {}: no label of the trees is a lexical one, LEX##word::p",
                                              source.keys("vectors"), source.path));
  });
  FoundVectors found =
      read_vectors(communicator, source, format, [&](std::string_view word) { return wanted.contains(word); });
  const auto width = static_cast<std::size_t>(found.dimension);
  const FirstPlaces in_file = first_places(communicator, found, source, format);
  const Index repeated = communicator.sum(leave_out_repeated(in_file, found));
  WordVectors::Part part{{}, found.words, found.values};
  std::vector<Index> places = communicator.all_gather(found.places);
  collectively(communicator, [&] {
    std::ranges::sort(places);
    for (std::size_t k = 0; k < found.words.size(); ++k) {
      part.numbers.push_back(std::ranges::lower_bound(places, found.places[k]) - places.begin());
      const std::span<const float> vector = known.find(found.words[k]);
      if (vector.empty()) continue;
      if (vector.size() != width) {
        throw Error(ErrorKind::input, fmt::format("{}: its vectors have {} numbers, and those of the result {}",
                                                  source.path, width, vector.size()));
      }
      require_known(vector, std::span(found.values).subspan(k * width, width),
                    vector_place(source, format, found.places[k]), found.words[k]);
      std::ranges::copy(vector, part.values.begin() + static_cast<std::ptrdiff_t>(k * width));
    }
    auto next = std::ssize(places);
    for (Index w = 0; known.vectors() != nullptr && w < known.vectors()->size(); ++w) {
      const std::string word(known.vectors()->word(w));
      if (in_file.contains(word)) continue;
      const Index number = next++;
      if (!communicator.is_root()) continue;
      part.numbers.push_back(number);
      part.words.push_back(word);
      const std::span<const float> vector = known.row(w);
      part.values.insert(part.values.end(), vector.begin(), vector.end());
    }
    if (next == 0) {
      throw Error(ErrorKind::input, fmt::format("{}: none of the {} words of the trees is among its {} words",
                                                source.path, wanted.size(), found.words_in_file));
    }
  });
  LabelVectors read;
  read.vectors = std::make_shared<const WordVectors>(communicator, found.dimension, part);
  read.words = std::ssize(wanted);
  read.repeated = repeated;
  read.without_vector = read.words;
  for (Index w = 0; w < read.vectors->size(); ++w) {
    if (wanted.contains(read.vectors->word(w))) --read.without_vector;
  }
  return read;
}

}  // namespace cairn
